//! Codes of findings that other code has to recognize, because the words of a finding decide nothing.

use smol_str::SmolStr;

use super::RuleId;

/// What other code recognizes a finding by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Code {
    /// An argument that the schema of a body does not have.
    UnsupportedArgument,
    /// A block that the schema of a body does not have.
    UnsupportedBlock,
    /// A block of this type that lacks a label.
    MissingLabel(SmolStr),
    /// An attribute that a value does not have.
    UnsupportedAttribute,
    /// A key that a value does not have.
    InvalidIndex,
    /// A call of a function in a namespace that the engine does not have.
    UnknownProviderFunction,
    /// A value that cannot be converted to the required type.
    IncorrectType,
    /// A value that cannot be converted to the type of its variable.
    IncorrectVariableType,
    /// A variable that nothing sets in some run of a test.
    UnsetVariable,
    /// A finding about a run of a test after which the engine continues with some of it.
    TestContinues(Continued),
    /// A value that is treated as unknown because of a limit.
    ValueLeftUnknown,
    /// A limit that left out findings of a module: those of a rule, or of any rule.
    FindingsLeftOut(Option<RuleId>),
}

/// What the engine continues with after a finding about a run of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Continued {
    /// The run, and later ones.
    EveryRun,
    /// The run, which then fails.
    TheRun,
    /// The apply of the run, which then fails.
    TheApply,
    /// Later runs.
    LaterRuns,
}
