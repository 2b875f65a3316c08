//! Files a user names.

use std::fs::File;
use std::io::Read;
use std::path::Path;

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
