//! The transposition table.
/// placeholder
#[derive(Debug)]
pub struct Table {}
impl Table {
    /// A table of about `mib` MiB.
    #[must_use]
    pub fn new(_mib: u32) -> Table {
        Table {}
    }
}
