//! Turns a long run into a line on standard error that says it is still at work.

use std::env;
use std::io::{self, IsTerminal};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::stream::err_painted;

/// A line that shows while this lives, once it has lived for half a second.
#[derive(Debug)]
pub(super) struct Progress(Option<(Sender<()>, JoinHandle<()>)>);

/// A run shorter than this needs no explanation.
const DELAY: Duration = Duration::from_millis(500);
const BEAT: Duration = Duration::from_millis(100);

impl Progress {
    /// Starts to wait; there is no line where nobody watches, and none where `quiet`.
    pub(super) fn start(quiet: bool) -> Self {
        // pre-commit and many a CI pretend to be a terminal.
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
                err_painted(&format!("\rchecking for {:.1} s", started.elapsed().as_secs_f64()));
                (wait, is_shown) = (BEAT, true);
            }
            if is_shown {
                err_painted("\r\u{1b}[2K");
            }
        });
        Self(Some((stop, painter)))
    }
}

impl Drop for Progress {
    /// Takes the line away before anything else is written.
    fn drop(&mut self) {
        if let Some((stop, painter)) = self.0.take() {
            drop(stop);
            painter.join().ok();
        }
    }
}
