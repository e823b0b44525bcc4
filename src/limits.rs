//! Limits on how much overrule reads and computes, so that no input makes a check hang or exhausts memory.
//!
//! Ordinary repositories stay far below each limit. A policy or the command line can change it, and a finding reports
//! that it was reached.

use crate::text::grouped;

/// A limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Limit {
    /// The size of a file in bytes.
    FileSize,
    /// The depth of nested blocks, brackets and values.
    Nesting,
    /// The number of syntax errors reported per file.
    Mistakes,
    /// The number of steps to evaluate an expression.
    Evaluation,
    /// The number of conditions on the versions of a provider or an engine that are compared.
    Conditions,
}

/// The name, texts and values of a limit.
#[derive(Debug)]
pub struct Entry {
    /// The name in policies and on the command line.
    pub name: &'static str,
    /// What the limit applies to, for documentation.
    pub bounds: &'static str,
    /// The effect of reaching the limit, for documentation.
    pub beyond: &'static str,
    /// The default value.
    pub default: u64,
    /// The minimum value.
    pub min: u64,
    /// The maximum value.
    pub max: u64,
    /// The reason for the maximum.
    why: &'static str,
}

/// All expressions of a module together may take this many times the steps of a single one.
const EXPRESSIONS: usize = 3;

/// All modules of a run together may take this many times the steps of a single expression, beside those for their size.
const MODULES: usize = 5;

/// All plans of a run together may take this many times the steps of a single expression, beside those for the size of
/// the modules.
const PLANS: usize = 4;

/// The part of the steps of a single expression that each byte of a module adds.
const PER_BYTE: usize = 500_000;

/// The part of the steps of a single expression that each byte of a file adds, if a function reads it. Values of such
/// files are more compact than expressions.
const PER_BYTE_OF_FILE: usize = 200_000;

/// The number of findings that are reported in a run, unless its files are very large. In a report each takes about a
/// kilobyte.
const FINDINGS: usize = 25_000;

/// A run reports more findings if it has so many bytes of files for each.
const BYTES_PER_FINDING: usize = 100;

/// Rules find at least one finding in so many bytes of a module before the other rules are skipped.
const BYTES_PER_FINDING_OF_RULES: usize = 8;

/// All modules of a run together may take this many steps of custom rules, beside those for their size.
const RULE_STEPS: usize = 3_000_000;

/// The steps of custom rules that each byte of a module adds.
const RULE_STEPS_PER_BYTE: usize = 2;

/// The steps that are left of a limit.
#[derive(Debug, Clone, Copy)]
pub struct Steps(usize);

impl Steps {
    /// So many steps.
    pub fn of(number: usize) -> Self {
        Self(number)
    }

    /// Takes so many steps. If fewer are left, takes those and returns false.
    pub fn take(&mut self, number: usize) -> bool {
        let left = self.0.checked_sub(number);
        self.0 = left.unwrap_or_default();
        left.is_some()
    }
}

impl Limit {
    /// All limits.
    pub const ALL: [Self; 5] =
        [Self::FileSize, Self::Nesting, Self::Mistakes, Self::Evaluation, Self::Conditions];

    /// The name, texts and values.
    pub const fn entry(self) -> Entry {
        match self {
            // Files that people write stay far below this; generated files may come close.
            Self::FileSize => Entry {
                name: "file_size",
                bounds: "a file of a module, its lock file, and version files such as `.terraform-version`",
                beyond: "the whole file is skipped",
                default: 64 << 20,
                min: 1 << 10,
                max: 1 << 30,
                why: "positions in a file are 32-bit numbers, and its syntax tree takes many times its size",
            },
            // A test checks that the maximum fits the stack of a thread.
            Self::Nesting => Entry {
                name: "nesting",
                bounds: "the depth of nested blocks, brackets and values",
                beyond: "deeper parts are skipped",
                default: 100,
                min: 10,
                max: 200,
                why: "deeper nesting can exhaust the stack",
            },
            Self::Mistakes => Entry {
                name: "mistakes",
                bounds: "syntax errors reported per file",
                beyond: "further errors are not reported",
                default: 1_000,
                min: 1,
                max: 1_000_000,
                why: "each takes about a kilobyte of memory",
            },
            Self::Evaluation => Entry {
                name: "evaluation",
                bounds: "the number of steps to evaluate one expression; all expressions of a module together have three times as many steps, or fewer if the repository has many modules",
                beyond: "the value is unknown",
                default: 2_000_000,
                min: 1_000,
                max: 100_000_000,
                why: "a step can take a tenth of a kilobyte of memory",
            },
            Self::Conditions => Entry {
                name: "conditions",
                bounds: "different conditions on the version of a provider, or of Terraform, in a module and its child modules",
                beyond: "further conditions are not compared",
                default: 256,
                min: 2,
                max: 10_000,
                why: "each is compared with all others in every parent module",
            },
        }
    }

    /// The name in policies and on the command line.
    pub const fn name(self) -> &'static str {
        self.entry().name
    }

    /// The limit with this name.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|limit| limit.name() == name)
    }

    /// Parses a value: `64MiB` for a size, and a whole number for a count.
    ///
    /// # Errors
    ///
    /// The detail and the help of a finding about an invalid value.
    pub fn read(self, text: &str) -> Result<u64, (String, String)> {
        let Entry { name, min, max, why, .. } = self.entry();
        let example = format!("write it as in `{name} = {}`", self.written(self.entry().default));
        let number = match self {
            Self::FileSize => size(text),
            Self::Nesting | Self::Mistakes | Self::Evaluation | Self::Conditions => digits(text),
        };
        match number {
            None => {
                let given = if text.is_empty() { String::new() } else { format!(", not `{text}`") };
                Err((format!("`{name}` must be {}{given}.", self.notation()), example))
            }
            Some(number) if number < min => Err((
                format!(
                    "`{name}` must be at least {}. With a lower limit, almost nothing would be checked.",
                    self.format(min)
                ),
                example,
            )),
            Some(number) if number > max => {
                let order = format!("write {} or less", self.format(max));
                Err((format!("`{name}` must be at most {}: {why}.", self.format(max)), order))
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

    /// Formats a value for a sentence.
    pub fn format(self, value: u64) -> String {
        match self {
            Self::FileSize => sized(value, " "),
            Self::Nesting | Self::Mistakes | Self::Evaluation | Self::Conditions => grouped(value),
        }
    }

    /// Formats a value for a policy.
    pub fn written(self, value: u64) -> String {
        match self {
            Self::FileSize => format!("\"{}\"", sized(value, "")),
            Self::Nesting | Self::Mistakes | Self::Evaluation | Self::Conditions => value.to_string(),
        }
    }
}

/// The limits of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Limits {
    values: [u64; Limit::ALL.len()],
    /// The number of modules of the run.
    modules: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { values: Limit::ALL.map(|limit| limit.entry().default), modules: 1 }
    }
}

impl Limits {
    /// The value of a limit.
    pub fn get(&self, limit: Limit) -> u64 {
        self.values[limit as usize]
    }

    /// Returns these limits with one value changed.
    #[must_use]
    pub fn with(mut self, limit: Limit, value: u64) -> Self {
        self.values[limit as usize] = value;
        self
    }

    /// Returns these limits for a run over so many modules, which share what a run may compute.
    #[must_use]
    pub fn among(self, modules: usize) -> Self {
        Self { modules: modules.max(1), ..self }
    }

    /// The depth of nested blocks, brackets and values.
    pub fn nesting(&self) -> usize {
        self.count(Limit::Nesting)
    }

    /// The number of syntax errors reported per file.
    pub fn mistakes(&self) -> usize {
        self.count(Limit::Mistakes)
    }

    /// The number of steps to evaluate an expression. A step processes about one part of a value.
    pub fn evaluation(&self) -> usize {
        self.count(Limit::Evaluation)
    }

    /// The number of steps for all expressions of a module of so many bytes together. It does not depend on the other
    /// modules, only on their number, so that the order in which threads get to them does not matter.
    pub fn evaluation_of_module(&self, bytes: usize) -> usize {
        let share = self.evaluation().saturating_mul(MODULES) / self.modules;
        let of_bytes = self.evaluation().saturating_mul(bytes) / PER_BYTE;
        share.saturating_add(of_bytes).min(self.evaluation().saturating_mul(EXPRESSIONS))
    }

    /// The number of steps for the errors that only a plan finds in some modules, which have so many bytes together. A
    /// plan evaluates a module once for each call of it and of its callers.
    pub fn evaluation_of_plans(&self, modules: usize, bytes: usize) -> usize {
        let share = self.evaluation().saturating_mul(PLANS * modules) / self.modules;
        share.saturating_add(self.evaluation().saturating_mul(bytes) / PER_BYTE)
    }

    /// The number of steps that a file of so many bytes adds to those of a module, if a function reads it.
    pub fn evaluation_of_file(&self, bytes: usize) -> usize {
        let of_bytes = self.evaluation().saturating_mul(bytes) / PER_BYTE_OF_FILE;
        of_bytes.min(self.evaluation_of_files())
    }

    /// The number of steps that all files together add to those of a module.
    pub fn evaluation_of_files(&self) -> usize {
        self.evaluation().saturating_mul(EXPRESSIONS)
    }

    /// The number of steps for the expressions of a module that engines evaluate first.
    pub fn early_evaluation(&self, bytes: usize) -> usize {
        self.evaluation_of_module(bytes).min(self.evaluation())
    }

    /// The number of findings that a run over so many bytes of files reports.
    pub fn findings_of_run(&self, bytes: usize) -> usize {
        FINDINGS.max(bytes / BYTES_PER_FINDING)
    }

    /// The number of findings of rules in a module of so many bytes that makes the check skip all other rules. Like
    /// [`Self::evaluation_of_module`], it depends only on the module and on the number of modules.
    pub fn findings_of_rules(&self, bytes: usize) -> usize {
        FINDINGS.min(FINDINGS / self.modules + bytes / BYTES_PER_FINDING_OF_RULES)
    }

    /// The number of steps that custom rules, and rules with settings for some paths, can take in a module of so many
    /// bytes.
    pub fn steps_of_rules(&self, bytes: usize) -> usize {
        (RULE_STEPS / self.modules).saturating_add(bytes.saturating_mul(RULE_STEPS_PER_BYTE))
    }

    /// The number of conditions on the versions of a provider or an engine that are compared.
    pub fn conditions(&self) -> usize {
        self.count(Limit::Conditions)
    }

    fn count(&self, limit: Limit) -> usize {
        usize::try_from(self.get(limit)).unwrap_or(usize::MAX)
    }

    /// The sentence of a finding that names a reached limit.
    pub fn named(&self, limit: Limit) -> String {
        let value = self.get(limit);
        let most = if value < limit.entry().max { "" } else { ", the largest possible value" };
        format!("The limit `{}` is {}{most}.", limit.name(), limit.format(value))
    }

    /// The help that raises a limit, unless it is at its maximum.
    pub fn more(&self, limit: Limit) -> Option<String> {
        // How much a value takes is known only at the end.
        let raise = if limit == Limit::Evaluation {
            "simplify the expression, or try a higher limit"
        } else {
            "raise the limit"
        };
        Some(format!("{raise}, with {}", self.options(limit)?))
    }

    /// The settings that raise a limit, unless it is at its maximum.
    pub fn options(&self, limit: Limit) -> Option<String> {
        let (value, max) = (self.get(limit), limit.entry().max);
        let more = limit.written(value.saturating_mul(10).min(max));
        let (name, plain) = (limit.name(), more.trim_matches('"'));
        let options = || format!("`limits {{ {name} = {more} }}` in the policy or `--limit {name}={plain}`");
        (value < max).then(options)
    }
}

/// A whole number without a sign.
fn digits(text: &str) -> Option<u64> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    // A number that does not fit is too large in any case.
    is_number.then(|| text.parse().unwrap_or(u64::MAX))
}

const UNITS: [(&str, u64); 3] = [("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30)];

fn size(text: &str) -> Option<u64> {
    UNITS.iter().find_map(|(unit, bytes)| {
        let number = digits(text.strip_suffix(unit)?.trim_end())?;
        Some(number.saturating_mul(*bytes))
    })
}

/// A size in the largest unit that gives a whole number.
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
    fn values_have_units() {
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
    fn small_modules_of_a_large_repository_can_build_long_strings() {
        let limits = Limits::default().among(900);
        // A `for` expression over 512 strings of 64 bytes, joined.
        assert!(limits.evaluation_of_module(1_000) > 512 * (64 / 32 + 16));
        assert!(limits.evaluation_of_module(1 << 20) <= 5 * limits.evaluation());
    }

    #[test]
    fn the_steps_of_a_run_are_bounded_for_any_number_of_modules() {
        for modules in [1, 10, 30, 300, 3_000] {
            let limits = Limits::default().among(modules);
            let of_run = |bytes: usize| modules * limits.evaluation_of_module(bytes / modules);
            assert!(of_run(modules * 130) <= 5 * limits.evaluation() + modules * 600, "{modules}");
            assert!(of_run(2_000_000) <= 9 * limits.evaluation(), "{modules}");
            assert!(limits.evaluation_of_plans(modules, 2_000_000) <= 8 * limits.evaluation(), "{modules}");
        }
    }

    #[test]
    fn an_invalid_value_is_reported_with_an_example() {
        let wrong =
            |limit: Limit, text: &str| limit.read(text).map_err(|(why, order)| format!("{why} {order}"));
        let reported = |limit, text| wrong(limit, text).expect_err("no value");
        assert_eq!(
            reported(Limit::FileSize, "64"),
            "`file_size` must be a size with its unit (`KiB`, `MiB` or `GiB`), not `64`. write it as in \
             `file_size = \"64MiB\"`"
        );
        for text in ["-1", "1.5", "much", "1e9", "0x10"] {
            let start = format!("`nesting` must be a whole number, not `{text}`. write it as in");
            assert!(reported(Limit::Nesting, text).starts_with(&start), "{text}");
        }
        assert_eq!(
            reported(Limit::Nesting, "0"),
            "`nesting` must be at least 10. With a lower limit, almost nothing would be checked. write it as in \
             `nesting = 100`"
        );
        for text in ["201", "99999999999999999999999999"] {
            assert_eq!(
                reported(Limit::Nesting, text),
                "`nesting` must be at most 200: deeper nesting can exhaust the stack. write 200 or less"
            );
        }
        assert!(reported(Limit::FileSize, "2GiB").starts_with("`file_size` must be at most 1 GiB: "));
        assert!(
            reported(Limit::FileSize, "99999999999999999999GiB")
                .starts_with("`file_size` must be at most 1 GiB: ")
        );
        assert!(reported(Limit::FileSize, "0MiB").starts_with("`file_size` must be at least 1 KiB. "));
    }

    #[test]
    fn a_reached_limit_is_named_with_the_way_to_raise_it() {
        let limits = Limits::default().with(Limit::FileSize, 3 << 10);
        assert_eq!(limits.named(Limit::FileSize), "The limit `file_size` is 3 KiB.");
        assert_eq!(
            limits.more(Limit::FileSize).as_deref(),
            Some(
                "raise the limit, with `limits { file_size = \"30KiB\" }` in the policy or `--limit file_size=30KiB`"
            )
        );
        assert_eq!(limits.named(Limit::Evaluation), "The limit `evaluation` is 2,000,000.");
        assert_eq!(limits.with(Limit::Nesting, 200).more(Limit::Nesting), None);
        assert!(
            limits.with(Limit::Nesting, 150).more(Limit::Nesting).is_some_and(|order| order.contains("200"))
        );
    }
}
