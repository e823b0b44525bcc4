//! The values of options that take rule names.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::error::Error;

use crate::check::rule_names;
use crate::policy::PRESETS;
use crate::rules::page::PAGES;

/// A parser that accepts any name, because policies define custom rules, and completes the built-in ones.
#[derive(Debug, Clone, Copy)]
pub(super) enum RuleName {
    /// A rule or preset, for `--select` and `--ignore`.
    Selected,
    /// A rule or rule template with a page, for `explain`.
    Explained,
}

impl TypedValueParser for RuleName {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<String, Error> {
        StringValueParser::new().parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let names: Vec<&'static str> = match self {
            Self::Selected => {
                rule_names().into_iter().chain(PRESETS.iter().map(|preset| preset.name)).collect()
            }
            Self::Explained => PAGES.iter().map(|page| page.rule).collect(),
        };
        Some(Box::new(names.into_iter().map(PossibleValue::new)))
    }
}
