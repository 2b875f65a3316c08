//! The program as a child process.

use std::process::{Command, Output};

/// Where it is.
pub(crate) const ELDEST: &str = env!("CARGO_BIN_EXE_eldest");

/// Runs it to its end.
pub(crate) fn eldest(arguments: &[&str]) -> Output {
    let output = Command::new(ELDEST).args(arguments).env_remove("ELDEST_LOG").output();
    output.expect("the program can be started")
}

/// What it wrote.
pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("the program writes UTF-8")
}

/// What it wrote to standard output, if it went well.
pub(crate) fn printed(arguments: &[&str]) -> String {
    let output = eldest(arguments);
    let said = text(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {:?} {said}", output.status);
    text(&output.stdout)
}

/// Bad usage or input: exit code 2, one line that says what is wrong, and nothing else.
pub(crate) fn check_refused(arguments: &[&str], complaint: &str) {
    let output = eldest(arguments);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
    assert_eq!(said.lines().count(), 1, "{arguments:?}: {said}");
    assert!(said.starts_with("error: ") && said.contains(complaint), "{arguments:?}: {said}");
    assert!(output.stdout.is_empty(), "{arguments:?}");
}
