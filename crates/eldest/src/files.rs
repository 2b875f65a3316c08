//! Files a user names.

use crate::Failure;
use report::Destination;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The text of a file of at most `limit` bytes. The error says what is wrong, without the path.
pub(crate) fn read(path: &Path, limit: u64) -> Result<String, String> {
    let unreadable = |error: std::io::Error| format!("cannot be read: {error}");
    let file = File::open(path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    file.take(limit + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > limit {
        return Err(format!("is too large; at most {limit} bytes are read"));
    }
    String::from_utf8(bytes).map_err(|_| "is not a text file (UTF-8)".into())
}

/// Where the files are to be written that have paths, found out before there is anything to write.
/// Refuses one that cannot be written, and two names of one file.
pub(crate) fn destinations<const N: usize>(
    paths: [&Option<PathBuf>; N],
) -> Result<[Option<Destination>; N], Failure> {
    let mut destinations = [const { None }; N];
    for (place, path) in paths.into_iter().enumerate() {
        let Some(path) = path else { continue };
        let shown = path.display();
        let destination = Destination::new(path).map_err(|error| {
            let right = "give a file that can be written, in a folder that exists";
            Failure::given(format!("cannot write {shown}: {error}; {right}"))
        })?;
        if destinations.contains(&Some(destination.clone())) {
            return Err(Failure::given(format!("{shown} is to be written twice; give two files")));
        }
        destinations[place] = Some(destination);
    }
    Ok(destinations)
}

/// Writes the file, if there is to be one.
pub(crate) fn write(destination: Option<&Destination>, text: &str) -> Result<(), Failure> {
    let Some(destination) = destination else { return Ok(()) };
    destination.write(text).map_err(|error| {
        let path = destination.path().display();
        Failure::run(format!("cannot write {path}: {error}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_texts_within_the_limit_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let read_back = |content: &[u8], limit| {
            std::fs::write(&path, content).unwrap();
            read(&path, limit)
        };
        assert_eq!(read_back(b"abc", 3), Ok("abc".into()));
        assert!(read_back(b"abc", 2).unwrap_err().contains("at most 2 bytes"));
        assert!(read_back(b"\xff\xfe", 9).unwrap_err().contains("UTF-8"));
        assert!(read(folder.path(), 9).unwrap_err().contains("cannot be read"));
    }
}
