//! Engine rules: the diagnostics of the engines, grouped as people would turn them on and off, and rules for files that
//! could not be checked.

use super::{Category, Page, RuleId, Severity, page};

/// Makes the enum of engine rules, and its lists, from one row per rule: its variant, its name and its usual severity.
macro_rules! engine_rules {
    ($($(#[$doc:meta])* $rule:ident = $name:literal, $severity:ident;)*) => {
        /// A rule that an engine enforces, or one about the check itself. Its page is `policies/rules/<name>.md`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum EngineRule {
            $($(#[$doc])* $rule,)*
        }

        impl EngineRule {
            /// All rules, in the order of the catalogue.
            pub const ALL: &'static [Self] = &[$(Self::$rule),*];

            /// The rule with this name.
            pub fn named(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|rule| rule.name() == name)
            }

            /// The page.
            pub const fn page(self) -> Page {
                match self {
                    $(Self::$rule => page!($name),)*
                }
            }

            /// The usual severity. Some rules have errors and warnings, so each finding has its own severity.
            pub const fn usual_severity(self) -> Severity {
                match self {
                    $(Self::$rule => Severity::$severity,)*
                }
            }
        }
    };
}

engine_rules! {
    /// A syntax error.
    SyntaxError = "syntax-error", Error;
    /// A file or directory that cannot be read.
    UnreadableFile = "unreadable-file", Error;
    /// Two declarations with one name.
    DuplicateDeclaration = "duplicate-declaration", Error;
    /// A block or argument that is not supported in its place.
    UnsupportedBlockOrArgument = "unsupported-block-or-argument", Error;
    /// A missing required argument.
    MissingArgument = "missing-argument", Error;
    /// A name that the language does not allow.
    InvalidName = "invalid-name", Error;
    /// An expression that must be a reference.
    InvalidReference = "invalid-reference", Error;
    /// A value of the wrong kind.
    InvalidValue = "invalid-value", Error;
    /// An invalid type expression.
    InvalidTypeConstraint = "invalid-type-constraint", Error;
    /// A default that does not match the type of its variable.
    InvalidDefaultValue = "invalid-default-value", Error;
    /// A block in an override file without a base block.
    OverrideWithoutBase = "override-without-base", Error;
    /// `depends_on` in an override file.
    OverrideDependsOn = "override-depends-on", Error;
    /// A block that is not allowed in an override file.
    OverrideNotAllowed = "override-not-allowed", Error;
    /// An invalid provider requirement.
    InvalidRequiredProviders = "invalid-required-providers", Error;
    /// An invalid version constraint.
    InvalidVersionConstraint = "invalid-version-constraint", Error;
    /// An invalid module source address.
    InvalidModuleSource = "invalid-module-source", Error;
    /// An invalid provider block or reference to one.
    InvalidProviderConfiguration = "invalid-provider-configuration", Error;
    /// A module with its own provider configurations, called with `count`, `for_each` or `depends_on`.
    ProviderBlockInRepeatedModule = "provider-block-in-repeated-module", Error;
    /// A provider passed to a module that configures it itself.
    ProviderConfigurationOverridden = "provider-configuration-overridden", Error;
    /// A provider configuration that a module requires and its caller does not pass.
    MissingProviderConfiguration = "missing-provider-configuration", Error;
    /// A provider passed under a name that the caller or the child module does not declare.
    UndefinedProviderReference = "undefined-provider-reference", Warning;
    /// A reference to a provider alias without a configuration.
    UndefinedProviderAlias = "undefined-provider-alias", Error;
    /// A provider passed to a name that the module requires from another source.
    ProviderTypeMismatch = "provider-type-mismatch", Error;
    /// An empty provider block, which was once needed to pass a provider.
    ProxyProviderBlock = "proxy-provider-block", Warning;
    /// One provider under two local names.
    DuplicateRequiredProvider = "duplicate-required-provider", Warning;
    /// A backend or cloud block in a child module.
    IgnoredBackendOrCloud = "ignored-backend-or-cloud", Warning;
    /// A reference or keyword in quotes.
    DeprecatedQuoting = "deprecated-quoting", Warning;
    /// A version constraint inside a provider block.
    DeprecatedProviderVersion = "deprecated-provider-version", Warning;
    /// An invalid lifecycle setting.
    InvalidLifecycle = "invalid-lifecycle", Error;
    /// An invalid moved, removed or import block.
    InvalidMovedRemovedImport = "invalid-moved-removed-import", Error;
    /// An invalid check or condition.
    InvalidCheckOrCondition = "invalid-check-or-condition", Error;
    /// An invalid provisioner or connection.
    InvalidProvisioner = "invalid-provisioner", Error;
    /// An invalid action or action trigger.
    InvalidAction = "invalid-action", Error;
    /// An invalid part of a test.
    InvalidTest = "invalid-test", Error;
    /// A constraint on the version, the language edition or an experiment that the engine does not meet.
    UnsupportedEngineVersion = "unsupported-engine-version", Error;
    /// A reference to something that the module does not declare.
    UndeclaredReference = "undeclared-reference", Error;
    /// A reference to an output that the called module does not declare.
    UndefinedModuleOutput = "undefined-module-output", Error;
    /// An argument that the called module does not declare.
    UnknownModuleArgument = "unknown-module-argument", Error;
    /// A required variable of the child module that the call does not set.
    MissingModuleArgument = "missing-module-argument", Error;
    /// A value that the variable of the child module does not accept.
    ModuleArgumentType = "module-argument-type", Error;
    /// A value in a variable file that the variable does not accept.
    InvalidVariableValue = "invalid-variable-value", Error;
    /// A value in a variable file for a variable that the root module does not declare.
    UndeclaredVariableValue = "undeclared-variable-value", Warning;
    /// An invalid dependency lock file.
    InvalidLockFile = "invalid-lock-file", Error;
    /// An attribute of an object that the type of its target does not have.
    IgnoredObjectAttribute = "ignored-object-attribute", Warning;
    /// A value for a deprecated variable of a child module.
    DeprecatedModuleArgument = "deprecated-module-argument", Warning;
    /// A reference to a deprecated output of a child module.
    DeprecatedModuleOutput = "deprecated-module-output", Warning;
    /// `each`, `count`, `self`, `path` or `terraform` where it is not available.
    MisplacedSymbol = "misplaced-symbol", Error;
    /// Declarations that depend on each other.
    ReferenceCycle = "reference-cycle", Error;
    /// A local module source that does not exist.
    MissingModule = "missing-module", Error;
    /// An output of a root module with a sensitive value.
    SensitiveOutput = "sensitive-output", Error;
    /// A call of an unknown function, or with wrong arguments.
    InvalidFunctionCall = "invalid-function-call", Error;
    /// A directory whose files are not a module.
    NotAModule = "not-a-module", Error;
    /// A symbolic link to a place outside the repository.
    LinkLeavesRepository = "link-leaves-repository", Warning;
    /// A file or module beyond a limit, which was not checked completely.
    LimitReached = "limit-reached", Error;
}

impl EngineRule {
    /// The name in policies, comments and reports.
    pub const fn name(self) -> &'static str {
        self.page().rule
    }

    /// The name as the rule of a finding.
    pub const fn id(self) -> RuleId {
        RuleId::built_in(self.name())
    }

    /// The origin: an engine, or overrule for what it did not check.
    pub(super) fn category(self) -> Category {
        if matches!(self, Self::NotAModule | Self::LinkLeavesRepository | Self::LimitReached) {
            Category::Policy
        } else {
            Category::Language
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Finding;

    #[test]
    fn engines_report_nothing_about_files_that_are_not_read() {
        let ours: Vec<_> = EngineRule::ALL
            .iter()
            .filter(|rule| Finding::language(**rule, "").category == Category::Policy)
            .collect();
        assert_eq!(
            ours,
            [&EngineRule::NotAModule, &EngineRule::LinkLeavesRepository, &EngineRule::LimitReached]
        );
    }
}
