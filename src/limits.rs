//! How much of what strangers wrote is read, and how much work it may be: no input may make a check hang or fill the
//! memory.
//!
//! Each limit is far above what people write, can be set by a policy and on the command line, and tells where it bites.

use crate::text::grouped;

/// Something that is bounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Limit {
    /// How many bytes a file may have.
    FileSize,
    /// How many blocks, brackets and values may stand in each other.
    Nesting,
    /// How many mistakes of syntax are told of a file.
    Mistakes,
    /// How many steps it may take to evaluate an expression.
    Evaluation,
    /// How many conditions on the versions of one thing are compared.
    Conditions,
}

/// What is known of a limit.
struct Entry {
    name: &'static str,
    bounds: &'static str,
    beyond: &'static str,
    default: u64,
    min: u64,
    max: u64,
    /// Why it cannot be more.
    why: &'static str,
}

/// How much more steps all expressions of a module may take together than one of them.
const EXPRESSIONS: usize = 6;

/// How much more steps those of a module may take together that engines evaluate before anything else.
const EARLY_EXPRESSIONS: usize = 2;

impl Limit {
    /// Every one of them.
    pub const ALL: [Self; 5] =
        [Self::FileSize, Self::Nesting, Self::Mistakes, Self::Evaluation, Self::Conditions];

    const fn entry(self) -> Entry {
        match self {
            // Module files that people write stay far below this; what generators write may come near.
            Self::FileSize => Entry {
                name: "file_size",
                bounds: "a file of a module, its lock file, and files that tell versions",
                beyond: "the whole file",
                default: 64 << 20,
                min: 1 << 10,
                max: 1 << 30,
                why: "places in a file are counted in 32 bits, and its tree takes many times its size",
            },
            // The tests hold the most to the stack that threads have.
            Self::Nesting => Entry {
                name: "nesting",
                bounds: "levels of blocks, brackets and values in each other",
                beyond: "what is deeper",
                default: 100,
                min: 10,
                max: 200,
                why: "who walks through what is nested deeper may run out of stack",
            },
            Self::Mistakes => Entry {
                name: "mistakes",
                bounds: "mistakes of syntax that are told of one file",
                beyond: "the others; the file is known not to be whole in any case",
                default: 1_000,
                min: 1,
                max: 1_000_000,
                why: "each takes about a kilobyte of memory",
            },
            Self::Evaluation => Entry {
                name: "evaluation",
                bounds: "steps that it takes to evaluate one expression",
                beyond: "its value, which is taken as unknown",
                default: 500_000,
                min: 1_000,
                max: 100_000_000,
                why: "a step can take a tenth of a kilobyte of memory",
            },
            Self::Conditions => Entry {
                name: "conditions",
                bounds: "different conditions on the version of a provider, or of the engine, in a module and all below it",
                beyond: "the others, which are not compared",
                default: 256,
                min: 2,
                max: 10_000,
                why: "each is held against all others at every module above",
            },
        }
    }

    /// The name that people write.
    pub const fn name(self) -> &'static str {
        self.entry().name
    }

    /// What it bounds, in words.
    pub const fn bounds(self) -> &'static str {
        self.entry().bounds
    }

    /// What is skipped where it bites, in words.
    pub const fn beyond(self) -> &'static str {
        self.entry().beyond
    }

    /// What it is where nobody says otherwise.
    pub const fn default(self) -> u64 {
        self.entry().default
    }

    /// The least value that it can be.
    pub const fn min(self) -> u64 {
        self.entry().min
    }

    /// The most that it can be.
    pub const fn max(self) -> u64 {
        self.entry().max
    }

    /// The one of that name.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|limit| limit.name() == name)
    }

    /// Reads a value as people write it: `64MiB` for a size, and a whole number for a count. What is wrong with any
    /// other is a sentence and an order.
    pub fn read(self, text: &str) -> Result<u64, (String, String)> {
        let Entry { name, min, max, why, .. } = self.entry();
        let example =
            format!("write {}, as in `{name} = {}`", self.notation(), self.written(self.entry().default));
        let number = match self {
            Self::FileSize => size(text),
            Self::Nesting | Self::Mistakes | Self::Evaluation | Self::Conditions => digits(text),
        };
        match number {
            None => {
                let given = if text.is_empty() { "this".to_owned() } else { format!("`{text}`") };
                Err((format!("`{name}` takes {}, and {given} is none.", self.notation()), example))
            }
            Some(number) if number < min => Err((
                format!(
                    "`{name}` has to be at least {}, or next to nothing would be checked.",
                    self.said(min)
                ),
                example,
            )),
            Some(number) if number > max => {
                let order = format!("write {} or less", self.said(max));
                Err((format!("`{name}` can be {} at most: {why}.", self.said(max)), order))
            }
            Some(number) => Ok(number),
        }
    }

    const fn notation(self) -> &'static str {
        match self {
            Self::FileSize => "a size with its unit (`KiB`, `MiB` or `GiB`)",
            Self::Nesting | Self::Mistakes | Self::Evaluation | Self::Conditions => "a whole number",
        }
    }

    /// A value as it stands in a sentence.
    pub fn said(self, value: u64) -> String {
        match self {
            Self::FileSize => sized(value, " "),
            Self::Nesting | Self::Mistakes | Self::Evaluation | Self::Conditions => grouped(value),
        }
    }

    /// A value as a policy writes it.
    pub fn written(self, value: u64) -> String {
        match self {
            Self::FileSize => format!("\"{}\"", sized(value, "")),
            Self::Nesting | Self::Mistakes | Self::Evaluation | Self::Conditions => value.to_string(),
        }
    }
}

/// What holds in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Limits([u64; Limit::ALL.len()]);

impl Default for Limits {
    fn default() -> Self {
        Self(Limit::ALL.map(|limit| limit.entry().default))
    }
}

impl Limits {
    /// What a limit is.
    pub fn get(&self, limit: Limit) -> u64 {
        self.0[limit as usize]
    }

    /// The same, with a limit that was read.
    #[must_use]
    pub fn with(mut self, limit: Limit, value: u64) -> Self {
        self.0[limit as usize] = value;
        self
    }

    /// How many blocks, brackets and values may stand in each other.
    pub fn nesting(&self) -> usize {
        self.count(Limit::Nesting)
    }

    /// How many mistakes of syntax are told of a file.
    pub fn mistakes(&self) -> usize {
        self.count(Limit::Mistakes)
    }

    /// How many steps it may take to evaluate an expression: about as many parts of values are looked at.
    pub fn evaluation(&self) -> usize {
        self.count(Limit::Evaluation)
    }

    /// The same for all expressions of a module together.
    pub fn evaluation_of_module(&self) -> usize {
        self.evaluation().saturating_mul(EXPRESSIONS)
    }

    /// The same for those together that an engine evaluates before anything runs.
    pub fn early_evaluation(&self) -> usize {
        self.evaluation().saturating_mul(EARLY_EXPRESSIONS)
    }

    /// How many conditions on the versions of one thing are compared.
    pub fn conditions(&self) -> usize {
        self.count(Limit::Conditions)
    }

    fn count(&self, limit: Limit) -> usize {
        usize::try_from(self.get(limit)).unwrap_or(usize::MAX)
    }

    /// The sentence that names a limit where it bites.
    pub fn named(&self, limit: Limit) -> String {
        format!("The limit `{}` is {} here.", limit.name(), limit.said(self.get(limit)))
    }

    /// The order that moves a limit, unless it is as high as it can be.
    pub fn more(&self, limit: Limit) -> Option<String> {
        let (value, max) = (self.get(limit), limit.entry().max);
        let more = limit.written(value.saturating_mul(2).min(max));
        let name = limit.name();
        (value < max).then(|| {
            format!(
                "raise the limit, with `limits {{ {name} = {more} }}` in the policy or `--limit {name}={}`",
                more.trim_matches('"')
            )
        })
    }
}

/// A whole number without a sign.
fn digits(text: &str) -> Option<u64> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    // What does not fit is too large in any case.
    is_number.then(|| text.parse().unwrap_or(u64::MAX))
}

const UNITS: [(&str, u64); 3] = [("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30)];

fn size(text: &str) -> Option<u64> {
    UNITS.iter().find_map(|(unit, bytes)| {
        let number = digits(text.strip_suffix(unit)?.trim_end())?;
        Some(number.saturating_mul(*bytes))
    })
}

/// A size in the largest unit of which it is a whole number.
fn sized(bytes: u64, between: &str) -> String {
    let unit = UNITS.iter().rfind(|(_, unit)| bytes >= *unit && bytes.is_multiple_of(*unit));
    match unit {
        Some((name, unit)) => format!("{}{between}{name}", bytes / unit),
        None => format!("{bytes}{between}bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_people_write_them() {
        assert_eq!(Limit::FileSize.read("64MiB"), Ok(64 << 20));
        assert_eq!(Limit::FileSize.read("500 KiB"), Ok(500 << 10));
        assert_eq!(Limit::FileSize.read("1GiB"), Ok(1 << 30));
        assert_eq!(Limit::Nesting.read("50"), Ok(50));
        for limit in Limit::ALL {
            let default = Limits::default().get(limit);
            assert_eq!(limit.read(limit.written(default).trim_matches('"')), Ok(default), "{}", limit.name());
            assert_eq!(Limit::of(limit.name()), Some(limit));
        }
    }

    #[test]
    fn what_is_no_value_is_told_with_what_would_be_one() {
        let wrong =
            |limit: Limit, text: &str| limit.read(text).map_err(|(why, order)| format!("{why} {order}"));
        let told = |limit, text| wrong(limit, text).expect_err("no value");
        assert_eq!(
            told(Limit::FileSize, "64"),
            "`file_size` takes a size with its unit (`KiB`, `MiB` or `GiB`), and `64` is none. write a size with its \
             unit (`KiB`, `MiB` or `GiB`), as in `file_size = \"64MiB\"`"
        );
        for text in ["-1", "1.5", "much", "1e9", "0x10"] {
            let start =
                format!("`nesting` takes a whole number, and `{text}` is none. write a whole number, as in");
            assert!(told(Limit::Nesting, text).starts_with(&start), "{text}");
        }
        assert_eq!(
            told(Limit::Nesting, "0"),
            "`nesting` has to be at least 10, or next to nothing would be checked. write a whole number, as in \
             `nesting = 100`"
        );
        for text in ["201", "99999999999999999999999999"] {
            assert_eq!(
                told(Limit::Nesting, text),
                "`nesting` can be 200 at most: who walks through what is nested deeper may run out of stack. write \
                 200 or less"
            );
        }
        assert!(told(Limit::FileSize, "2GiB").starts_with("`file_size` can be 1 GiB at most: "));
        assert!(
            told(Limit::FileSize, "99999999999999999999GiB")
                .starts_with("`file_size` can be 1 GiB at most: ")
        );
        assert!(told(Limit::FileSize, "0MiB").starts_with("`file_size` has to be at least 1 KiB, "));
    }

    #[test]
    fn a_limit_that_bites_is_told_with_its_name_and_how_to_move_it() {
        let limits = Limits::default().with(Limit::FileSize, 3 << 10);
        assert_eq!(limits.named(Limit::FileSize), "The limit `file_size` is 3 KiB here.");
        assert_eq!(
            limits.more(Limit::FileSize).as_deref(),
            Some(
                "raise the limit, with `limits { file_size = \"6KiB\" }` in the policy or `--limit file_size=6KiB`"
            )
        );
        assert_eq!(limits.named(Limit::Evaluation), "The limit `evaluation` is 500,000 here.");
        assert_eq!(limits.with(Limit::Nesting, 200).more(Limit::Nesting), None);
        assert!(
            limits.with(Limit::Nesting, 150).more(Limit::Nesting).is_some_and(|order| order.contains("200"))
        );
    }
}
