//! Compiles the protobuf files, without a protobuf compiler of the system's.

use std::error::Error;
use std::path::{Path, PathBuf};

const FILES: [&str; 4] = [
    "eldest/v1/search.proto",
    "eldest/v1/session.proto",
    "eldest/v1/peer.proto",
    "eldest/v1/client.proto",
];

fn main() -> Result<(), Box<dyn Error>> {
    let root = Path::new("../../proto");
    for file in FILES {
        println!("cargo:rerun-if-changed={}", root.join(file).display());
    }
    let descriptors = protox::compile(FILES, [root])?;
    let out = PathBuf::from(std::env::var("OUT_DIR")?).join("eldest_descriptor.bin");
    std::fs::write(out, prost::Message::encode_to_vec(&descriptors))?;
    tonic_prost_build::configure().btree_map(".").compile_fds(descriptors)?;
    Ok(())
}
