//! Who is told of everything that happens: [`Observer`].

use std::fmt;
use std::sync::Arc;
use ybw::Traced;

type Note = dyn Fn(&Traced) + Send + Sync;

/// Is told every fact about a run as soon as it happened, on the thread that owns the coordinator
/// machine. What it does with it must not take long.
#[derive(Clone, Default)]
pub struct Observer(Option<Arc<Note>>);

impl Observer {
    /// An observer that does this with every fact.
    pub fn new(note: impl Fn(&Traced) + Send + Sync + 'static) -> Observer {
        Observer(Some(Arc::new(note)))
    }

    /// Both this one and the other, in this order.
    #[must_use]
    pub fn and(self, other: Observer) -> Observer {
        match (self.0, other.0) {
            (Some(first), Some(second)) => Observer::new(move |traced| {
                first(traced);
                second(traced);
            }),
            (first, second) => Observer(first.or(second)),
        }
    }

    /// Tells it a fact.
    pub fn note(&self, traced: &Traced) {
        if let Some(note) = &self.0 {
            note(traced);
        }
    }
}

impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Observer").field(&self.0.is_some()).finish()
    }
}
