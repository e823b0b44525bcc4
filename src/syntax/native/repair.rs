//! Turns a piece of a file into what hcl-edit reads without stumbling, every byte at its place.
//!
//! Each repair answers to one thing that hcl-edit takes otherwise than the engines do:
//!
//! - Line breaks that mean nothing, in `{ for … }` and in directives above all, become blanks, and all comments do.
//! - A key that stands twice in an object, which the engines allow, parts the object into portions, as does a great
//!   number of keys, for which hcl-edit takes quadratic time.
//! - A line of a heredoc that starts with its marker but goes on gets another letter there, and a heredoc without a
//!   line becomes `""`.
//! - A number that no machine number holds becomes zeros. (Its digits are read from the source anyway.)

use std::borrow::Cow;
use std::ops::Range;

use super::grammar::{Mend, Outline};
use super::lower::Excerpt;

/// A file and what of it hcl-edit must not see.
pub(super) struct Repair<'a> {
    pub(super) text: &'a str,
    pub(super) outline: &'a Outline,
}

impl Excerpt for Repair<'_> {
    fn text(&self, range: Range<usize>) -> Cow<'_, str> {
        let mends = &self.outline.mends;
        let first = mends.partition_point(|mend| (mend.end as usize) <= range.start);
        let mut mends = mends[first..].iter().take_while(|mend| (mend.start as usize) < range.end).peekable();
        let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let mut objects = self.outline.portions.range(offset(range.start)..offset(range.end)).peekable();
        let written = &self.text[range.clone()];
        if mends.peek().is_none() && objects.peek().is_none() {
            return Cow::Borrowed(written);
        }
        let mut bytes = written.as_bytes().to_vec();
        let mut fill = |from: u32, to: u32, with: u8| {
            let from = (from as usize).saturating_sub(range.start);
            let to = (to as usize).saturating_sub(range.start).min(bytes.len());
            if let Some(bytes) = bytes.get_mut(from..to) {
                bytes.fill(with);
            }
        };
        for Mend { start, end, with } in mends {
            fill(*start, *end, *with);
        }
        for (open, object) in objects {
            fill(open + 1, object.close, b' ');
        }
        Cow::Owned(String::from_utf8(bytes).expect("tokens are replaced as a whole, and by ASCII"))
    }

    fn portions(&self, open: usize) -> Option<&[Range<usize>]> {
        let open = u32::try_from(open).ok()?;
        self.outline.portions.get(&open).map(|object| object.ranges.as_slice())
    }
}
