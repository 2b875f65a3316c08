//! The `eldest` command: see the library for everything it does.

use std::process::ExitCode;

fn main() -> ExitCode {
    eldest::main_with(search::Catalogue::standard())
}
