//! The `eldest` command, for the tests to start.

use std::process::ExitCode;

fn main() -> ExitCode {
    eldest::main_with(eldest::Catalogue::standard())
}
