//! What those who watch a coordinator are shown: [`Snapshots`].

use std::fmt;
use std::sync::Arc;

type Take = dyn Fn() -> String + Send + Sync;

/// Takes snapshots of a coordinator as JSON whenever somebody watches it.
#[derive(Clone)]
pub struct Snapshots(Arc<Take>);

impl Snapshots {
    /// Snapshots that are taken like this. It must not take long.
    pub fn new(take: impl Fn() -> String + Send + Sync + 'static) -> Snapshots {
        Snapshots(Arc::new(take))
    }

    /// Takes one.
    #[must_use]
    pub fn take(&self) -> String {
        (self.0)()
    }
}

impl fmt::Debug for Snapshots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Snapshots")
    }
}
