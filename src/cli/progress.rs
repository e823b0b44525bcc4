//! Shows the progress of a long run in a line on standard error.

use std::env;
use std::io::{self, IsTerminal};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::stream::err_painted;
use crate::check::ProgressCounts;
use crate::text::grouped;

/// A line that appears after half a second and stays while this value exists.
#[derive(Debug)]
pub(super) struct Progress(Option<(Sender<()>, JoinHandle<()>)>);

/// The delay before the line appears.
const DELAY: Duration = Duration::from_millis(500);
const BEAT: Duration = Duration::from_millis(100);

impl Progress {
    /// Starts the progress line. There is none if standard error is not a terminal, or with `quiet`.
    pub(super) fn start(quiet: bool, counts: ProgressCounts) -> Self {
        // pre-commit and many CI systems open a pseudo-terminal.
        let is_recorded =
            ["PRE_COMMIT", "CI"].iter().any(|name| env::var_os(name).is_some_and(|v| !v.is_empty()));
        let is_dumb = env::var_os("TERM").is_some_and(|term| term == "dumb");
        if quiet || is_recorded || is_dumb || !io::stderr().is_terminal() {
            return Self(None);
        }
        let (stop, stopped) = mpsc::channel();
        let started = Instant::now();
        let painter = thread::spawn(move || {
            let mut wait = DELAY;
            let mut is_shown = false;
            while stopped.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                err_painted(&format!("\r\u{1b}[2K{}", line(&counts, started.elapsed())));
                (wait, is_shown) = (BEAT, true);
            }
            if is_shown {
                err_painted("\r\u{1b}[2K");
            }
        });
        Self(Some((stop, painter)))
    }
}

fn line(counts: &ProgressCounts, elapsed: Duration) -> String {
    let seconds = elapsed.as_secs_f64();
    match counts.get() {
        (_, 0) => format!("reading files, {seconds:.1} s"),
        (done, all) => format!(
            "checked {} of {} directories, {seconds:.1} s",
            grouped(done.min(all) as u64),
            grouped(all as u64)
        ),
    }
}

impl Drop for Progress {
    /// Removes the line before other output.
    fn drop(&mut self) {
        if let Some((stop, painter)) = self.0.take() {
            drop(stop);
            painter.join().ok();
        }
    }
}
