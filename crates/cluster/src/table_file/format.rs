//! How table entries are written to a file, and what is refused when they are read.

use crc32fast::Hasher;
use game::{Entry, Finding};
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};

const MAGIC: [u8; 8] = *b"ELDTABLE";
const FORMAT: u32 = 1;
/// Another version of the program may give positions other keys, or mean something else by an entry.
const PROGRAM: &str = env!("CARGO_PKG_VERSION");
/// Room for the program's version, filled up with zeros.
const PROGRAM_BYTES: usize = 32;
const HEADER_BYTES: usize = MAGIC.len() + 4 + PROGRAM_BYTES + 8;
const ENTRY_BYTES: usize = 16;
const CHECKSUM_BYTES: usize = 4;

/// What tells a file from any other: the number of its entries and their checksum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Stamp {
    count: u64,
    checksum: u32,
}

/// Reads a whole file and believes nothing. Says what is wrong with it.
pub(super) fn check(file: &mut File) -> Result<Stamp, String> {
    let mut header = [0; HEADER_BYTES];
    let length = file.metadata().map_err(unreadable)?.len();
    let begin = file.read_exact(&mut header);
    if begin.is_err() || header[..MAGIC.len()] != MAGIC {
        return Err(
            "is no table that Eldest saved; give one, or a file that is not there yet".into()
        );
    }
    let (version, rest) = header[MAGIC.len()..].split_at(4);
    let (program, count) = rest.split_at(PROGRAM_BYTES);
    let version = u32::from_le_bytes(version.try_into().unwrap_or_default());
    if version != FORMAT {
        return Err(format!("has format {version}, and this program reads {FORMAT}; remove it"));
    }
    if program != program_field() {
        let theirs =
            String::from_utf8_lossy(program).trim_end_matches('\0').escape_debug().to_string();
        return Err(format!(
            "was saved by version {theirs} of the program, and this is {PROGRAM}; remove it, or go on \
             with that version"
        ));
    }
    let count = u64::from_le_bytes(count.try_into().unwrap_or_default());
    let due = count
        .checked_mul(ENTRY_BYTES as u64)
        .and_then(|bytes| bytes.checked_add((HEADER_BYTES + CHECKSUM_BYTES) as u64));
    if due != Some(length) {
        let due = due.map_or("far more".to_string(), |due| due.to_string());
        return Err(format!("has {length} bytes and should have {due}; it is damaged, remove it"));
    }
    let mut hasher = Hasher::new();
    hasher.update(&header);
    let checksum = entries(file, count, hasher, |_| ())?;
    Ok(Stamp { count, checksum })
}

/// Reads the entries of a file that was checked before.
pub(super) fn read(file: &mut File, stamp: Stamp, each: impl FnMut(Finding)) -> Result<(), String> {
    file.rewind().map_err(unreadable)?;
    let mut header = [0; HEADER_BYTES];
    file.read_exact(&mut header).map_err(unreadable)?;
    let mut hasher = Hasher::new();
    hasher.update(&header);
    let checksum = entries(file, stamp.count, hasher, each)?;
    if checksum == stamp.checksum { Ok(()) } else { Err("was changed since it was opened".into()) }
}

/// Reads so many entries and the checksum of everything, which `hasher` has of what was before.
fn entries(
    file: &mut File,
    count: u64,
    mut hasher: Hasher,
    mut each: impl FnMut(Finding),
) -> Result<u32, String> {
    let mut file = BufReader::with_capacity(1 << 16, file);
    let mut bytes = [0; ENTRY_BYTES];
    for number in 0..count {
        file.read_exact(&mut bytes).map_err(unreadable)?;
        hasher.update(&bytes);
        let [key, bits] =
            [0, 8].map(|at| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap_or_default()));
        let entry = Entry::from_bits(bits).filter(|entry| entry.to_bits() == bits);
        let entry =
            entry.ok_or(format!("its entry {number} makes no sense; it is damaged, remove it"))?;
        each(Finding { key, entry });
    }
    let mut last = [0; CHECKSUM_BYTES];
    file.read_exact(&mut last).map_err(unreadable)?;
    let (found, checksum) = (u32::from_le_bytes(last), hasher.finalize());
    if found != checksum {
        return Err("does not have the checksum that it says; it is damaged, remove it".into());
    }
    Ok(checksum)
}

/// Writes a whole file. Returns the number of entries.
pub(super) fn write(file: &mut File, findings: impl Iterator<Item = Finding>) -> io::Result<u64> {
    let mut writer = BufWriter::with_capacity(1 << 16, &mut *file);
    // The number of entries is known when they are written.
    writer.write_all(&header(0))?;
    let (mut count, mut body) = (0, Hasher::new());
    for Finding { key, entry } in findings {
        let mut bytes = [0; ENTRY_BYTES];
        bytes[..8].copy_from_slice(&key.to_le_bytes());
        bytes[8..].copy_from_slice(&entry.to_bits().to_le_bytes());
        body.update(&bytes);
        writer.write_all(&bytes)?;
        count += 1;
    }
    let mut hasher = Hasher::new();
    hasher.update(&header(count));
    hasher.combine(&body);
    writer.write_all(&hasher.finalize().to_le_bytes())?;
    writer.flush()?;
    drop(writer);
    file.seek(SeekFrom::Start(0))?;
    file.write_all(&header(count))?;
    Ok(count)
}

fn header(count: u64) -> [u8; HEADER_BYTES] {
    let mut header = [0; HEADER_BYTES];
    let (magic, rest) = header.split_at_mut(MAGIC.len());
    let (version, rest) = rest.split_at_mut(4);
    let (program, number) = rest.split_at_mut(PROGRAM_BYTES);
    magic.copy_from_slice(&MAGIC);
    version.copy_from_slice(&FORMAT.to_le_bytes());
    program.copy_from_slice(&program_field());
    number.copy_from_slice(&count.to_le_bytes());
    header
}

fn program_field() -> [u8; PROGRAM_BYTES] {
    let mut field = [0; PROGRAM_BYTES];
    field[..PROGRAM.len()].copy_from_slice(PROGRAM.as_bytes());
    field
}

fn unreadable(error: io::Error) -> String {
    format!("cannot be read: {error}")
}
