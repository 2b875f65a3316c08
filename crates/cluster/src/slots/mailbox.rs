//! Commands that wait for a search thread: [`Mailbox`].

use super::Command;
use std::collections::VecDeque;
use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// The commands of one thread. Its length is bounded by the machine's restraint: per job one start,
/// one stop and one wish for a split; windows of one job replace each other.
#[derive(Debug, Default)]
pub(super) struct Mailbox {
    inner: Mutex<Inner>,
    arrived: Condvar,
    waiting: AtomicBool,
}

#[derive(Debug, Default)]
struct Inner {
    commands: VecDeque<Command>,
    /// Set, it makes the running search return soon.
    interrupt: Option<Arc<AtomicBool>>,
}

impl Mailbox {
    /// Leaves a command. One that ends the job interrupts the search for it.
    pub(super) fn post(&self, command: Command) {
        let interrupts = matches!(command, Command::Stop { .. } | Command::Quit);
        let mut inner = self.lock();
        match (inner.commands.back_mut(), command) {
            (Some(Command::Narrow { job: last, window: old }), Command::Narrow { job, window })
                if *last == job =>
            {
                *old = window;
            }
            (_, command) => inner.commands.push_back(command),
        }
        // The flags come after the command: whoever sees one of them finds it.
        self.waiting.store(true, Ordering::Release);
        if let (true, Some(interrupt)) = (interrupts, &inner.interrupt) {
            interrupt.store(true, Ordering::Release);
        }
        drop(inner);
        self.arrived.notify_one();
    }

    /// Everything that waits; cheap if that is nothing.
    pub(super) fn take(&self) -> VecDeque<Command> {
        if !self.waiting.load(Ordering::Acquire) {
            return VecDeque::new();
        }
        self.empty(&mut self.lock())
    }

    /// Everything that waits, at least one command.
    pub(super) fn wait(&self) -> VecDeque<Command> {
        let nothing = |inner: &mut Inner| inner.commands.is_empty();
        let guard = self.arrived.wait_while(self.lock(), nothing);
        self.empty(&mut guard.unwrap_or_else(PoisonError::into_inner))
    }

    /// From now on commands that end a job interrupt the search that this flag belongs to.
    pub(super) fn interrupt_with(&self, interrupt: Option<Arc<AtomicBool>>) {
        self.lock().interrupt = interrupt;
    }

    fn empty(&self, inner: &mut Inner) -> VecDeque<Command> {
        self.waiting.store(false, Ordering::Relaxed);
        mem::take(&mut inner.commands)
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::{Score, Window};
    use ybw::JobId;

    fn narrow(job: u64, alpha: i32) -> Command {
        Command::Narrow { job: JobId(job), window: Window::null(Score::new(alpha)) }
    }

    #[test]
    fn only_the_latest_of_successive_windows_waits() {
        let mailbox = Mailbox::default();
        for command in [narrow(1, 3), narrow(1, 4), narrow(2, 5), narrow(1, 6)] {
            mailbox.post(command);
        }
        let windows: Vec<_> = mailbox
            .take()
            .into_iter()
            .map(|command| match command {
                Command::Narrow { job, window } => (job.0, window.alpha().points()),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(windows, [(1, 4), (2, 5), (1, 6)]);
        assert!(mailbox.take().is_empty());
    }

    #[test]
    fn only_commands_that_end_a_job_interrupt() {
        let mailbox = Mailbox::default();
        let interrupt = Arc::new(AtomicBool::new(false));
        mailbox.interrupt_with(Some(interrupt.clone()));
        mailbox.post(narrow(1, 3));
        assert!(!interrupt.load(Ordering::Relaxed));
        mailbox.post(Command::Stop { job: JobId(1) });
        assert!(interrupt.load(Ordering::Relaxed));
    }
}
