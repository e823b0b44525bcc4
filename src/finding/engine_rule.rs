//! Engine rules: the diagnostics of the engines, grouped as people would turn them on and off, and rules for files that
//! could not be checked.

use super::{Category, RuleId, Severity};

/// A rule that an engine enforces, or one about the check itself. Its page is `policies/rules/<name>.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EngineRule {
    /// A syntax error.
    SyntaxError,
    /// A file or directory that cannot be read.
    UnreadableFile,
    /// Two declarations with one name.
    DuplicateDeclaration,
    /// A block or argument that is not supported in its place.
    UnsupportedBlockOrArgument,
    /// A missing required argument.
    MissingArgument,
    /// A name that the language does not allow.
    InvalidName,
    /// An expression that must be a reference.
    InvalidReference,
    /// A value of the wrong kind.
    InvalidValue,
    /// An invalid type expression.
    InvalidTypeConstraint,
    /// A default that does not match the type of its variable.
    InvalidDefaultValue,
    /// A block in an override file without a base block.
    OverrideWithoutBase,
    /// `depends_on` in an override file.
    OverrideDependsOn,
    /// A block that is not allowed in an override file.
    OverrideNotAllowed,
    /// An invalid provider requirement.
    InvalidRequiredProviders,
    /// An invalid version constraint.
    InvalidVersionConstraint,
    /// An invalid module source address.
    InvalidModuleSource,
    /// An invalid provider block or reference to one.
    InvalidProviderConfiguration,
    /// A module with its own provider configurations, called with `count`, `for_each` or `depends_on`.
    ProviderBlockInRepeatedModule,
    /// A provider passed to a module that configures it itself.
    ProviderConfigurationOverridden,
    /// A provider configuration that a module requires and its caller does not pass.
    MissingProviderConfiguration,
    /// A provider passed under a name that the caller or the child module does not declare.
    UndefinedProviderReference,
    /// A reference to a provider alias without a configuration.
    UndefinedProviderAlias,
    /// A provider passed to a name that the module requires from another source.
    ProviderTypeMismatch,
    /// An empty provider block, which was once needed to pass a provider.
    ProxyProviderBlock,
    /// One provider under two local names.
    DuplicateRequiredProvider,
    /// A backend or cloud block in a child module.
    IgnoredBackendOrCloud,
    /// A reference or keyword in quotes.
    DeprecatedQuoting,
    /// A version constraint inside a provider block.
    DeprecatedProviderVersion,
    /// An invalid lifecycle setting.
    InvalidLifecycle,
    /// An invalid moved, removed or import block.
    InvalidMovedRemovedImport,
    /// An invalid check or condition.
    InvalidCheckOrCondition,
    /// An invalid provisioner or connection.
    InvalidProvisioner,
    /// An invalid action or action trigger.
    InvalidAction,
    /// An invalid part of a test.
    InvalidTest,
    /// A constraint on the version, the language edition or an experiment that the engine does not meet.
    UnsupportedEngineVersion,
    /// A reference to something that the module does not declare.
    UndeclaredReference,
    /// A reference to an output that the called module does not declare.
    UndefinedModuleOutput,
    /// An argument that the called module does not declare.
    UnknownModuleArgument,
    /// A required variable of the child module that the call does not set.
    MissingModuleArgument,
    /// A value that the variable of the child module does not accept.
    ModuleArgumentType,
    /// A value in a variable file that the variable does not accept.
    InvalidVariableValue,
    /// A value in a variable file for a variable that the root module does not declare.
    UndeclaredVariableValue,
    /// An invalid dependency lock file.
    InvalidLockFile,
    /// An attribute of an object that the type of its target does not have.
    IgnoredObjectAttribute,
    /// A value for a deprecated variable of a child module.
    DeprecatedModuleArgument,
    /// A reference to a deprecated output of a child module.
    DeprecatedModuleOutput,
    /// `each`, `count`, `self`, `path` or `terraform` where it is not available.
    MisplacedSymbol,
    /// Declarations that depend on each other.
    ReferenceCycle,
    /// A local module source that does not exist.
    MissingModule,
    /// An output of a root module with a sensitive value.
    SensitiveOutput,
    /// A call of an unknown function, or with wrong arguments.
    InvalidFunctionCall,
    /// A directory whose files are not a module.
    NotAModule,
    /// A symbolic link to a place outside the repository.
    LinkLeavesRepository,
    /// A file or module beyond a limit, which was not checked completely.
    LimitReached,
}

impl EngineRule {
    /// All rules, in the order of the catalogue.
    pub const ALL: &'static [Self] = &[
        Self::SyntaxError,
        Self::UnreadableFile,
        Self::DuplicateDeclaration,
        Self::UnsupportedBlockOrArgument,
        Self::MissingArgument,
        Self::InvalidName,
        Self::InvalidReference,
        Self::InvalidValue,
        Self::InvalidTypeConstraint,
        Self::InvalidDefaultValue,
        Self::OverrideWithoutBase,
        Self::OverrideDependsOn,
        Self::OverrideNotAllowed,
        Self::InvalidRequiredProviders,
        Self::InvalidVersionConstraint,
        Self::InvalidModuleSource,
        Self::InvalidProviderConfiguration,
        Self::ProviderBlockInRepeatedModule,
        Self::ProviderConfigurationOverridden,
        Self::MissingProviderConfiguration,
        Self::UndefinedProviderReference,
        Self::UndefinedProviderAlias,
        Self::ProviderTypeMismatch,
        Self::ProxyProviderBlock,
        Self::DuplicateRequiredProvider,
        Self::IgnoredBackendOrCloud,
        Self::DeprecatedQuoting,
        Self::DeprecatedProviderVersion,
        Self::InvalidLifecycle,
        Self::InvalidMovedRemovedImport,
        Self::InvalidCheckOrCondition,
        Self::InvalidProvisioner,
        Self::InvalidAction,
        Self::InvalidTest,
        Self::UnsupportedEngineVersion,
        Self::UndeclaredReference,
        Self::UndefinedModuleOutput,
        Self::UnknownModuleArgument,
        Self::MissingModuleArgument,
        Self::ModuleArgumentType,
        Self::InvalidVariableValue,
        Self::UndeclaredVariableValue,
        Self::InvalidLockFile,
        Self::IgnoredObjectAttribute,
        Self::DeprecatedModuleArgument,
        Self::DeprecatedModuleOutput,
        Self::MisplacedSymbol,
        Self::ReferenceCycle,
        Self::MissingModule,
        Self::SensitiveOutput,
        Self::InvalidFunctionCall,
        Self::NotAModule,
        Self::LinkLeavesRepository,
        Self::LimitReached,
    ];

    /// The name in policies, comments and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::SyntaxError => "syntax-error",
            Self::UnreadableFile => "unreadable-file",
            Self::DuplicateDeclaration => "duplicate-declaration",
            Self::UnsupportedBlockOrArgument => "unsupported-block-or-argument",
            Self::MissingArgument => "missing-argument",
            Self::InvalidName => "invalid-name",
            Self::InvalidReference => "invalid-reference",
            Self::InvalidValue => "invalid-value",
            Self::InvalidTypeConstraint => "invalid-type-constraint",
            Self::InvalidDefaultValue => "invalid-default-value",
            Self::OverrideWithoutBase => "override-without-base",
            Self::OverrideDependsOn => "override-depends-on",
            Self::OverrideNotAllowed => "override-not-allowed",
            Self::InvalidRequiredProviders => "invalid-required-providers",
            Self::InvalidVersionConstraint => "invalid-version-constraint",
            Self::InvalidModuleSource => "invalid-module-source",
            Self::InvalidProviderConfiguration => "invalid-provider-configuration",
            Self::ProviderBlockInRepeatedModule => "provider-block-in-repeated-module",
            Self::ProviderConfigurationOverridden => "provider-configuration-overridden",
            Self::MissingProviderConfiguration => "missing-provider-configuration",
            Self::UndefinedProviderReference => "undefined-provider-reference",
            Self::UndefinedProviderAlias => "undefined-provider-alias",
            Self::ProviderTypeMismatch => "provider-type-mismatch",
            Self::ProxyProviderBlock => "proxy-provider-block",
            Self::DuplicateRequiredProvider => "duplicate-required-provider",
            Self::IgnoredBackendOrCloud => "ignored-backend-or-cloud",
            Self::DeprecatedQuoting => "deprecated-quoting",
            Self::DeprecatedProviderVersion => "deprecated-provider-version",
            Self::InvalidLifecycle => "invalid-lifecycle",
            Self::InvalidMovedRemovedImport => "invalid-moved-removed-import",
            Self::InvalidCheckOrCondition => "invalid-check-or-condition",
            Self::InvalidProvisioner => "invalid-provisioner",
            Self::InvalidAction => "invalid-action",
            Self::InvalidTest => "invalid-test",
            Self::UnsupportedEngineVersion => "unsupported-engine-version",
            Self::UndeclaredReference => "undeclared-reference",
            Self::UndefinedModuleOutput => "undefined-module-output",
            Self::UnknownModuleArgument => "unknown-module-argument",
            Self::MissingModuleArgument => "missing-module-argument",
            Self::ModuleArgumentType => "module-argument-type",
            Self::InvalidVariableValue => "invalid-variable-value",
            Self::UndeclaredVariableValue => "undeclared-variable-value",
            Self::InvalidLockFile => "invalid-lock-file",
            Self::IgnoredObjectAttribute => "ignored-object-attribute",
            Self::DeprecatedModuleArgument => "deprecated-module-argument",
            Self::DeprecatedModuleOutput => "deprecated-module-output",
            Self::MisplacedSymbol => "misplaced-symbol",
            Self::ReferenceCycle => "reference-cycle",
            Self::MissingModule => "missing-module",
            Self::SensitiveOutput => "sensitive-output",
            Self::InvalidFunctionCall => "invalid-function-call",
            Self::NotAModule => "not-a-module",
            Self::LinkLeavesRepository => "link-leaves-repository",
            Self::LimitReached => "limit-reached",
        }
    }

    /// The name as the rule of a finding.
    pub const fn id(self) -> RuleId {
        RuleId::built_in(self.name())
    }

    /// The usual severity. Some rules have errors and warnings, so each finding has its own severity.
    pub const fn usual_severity(self) -> Severity {
        match self {
            Self::SyntaxError
            | Self::UnreadableFile
            | Self::DuplicateDeclaration
            | Self::UnsupportedBlockOrArgument
            | Self::MissingArgument
            | Self::InvalidName
            | Self::InvalidReference
            | Self::InvalidValue
            | Self::InvalidTypeConstraint
            | Self::InvalidDefaultValue
            | Self::OverrideWithoutBase
            | Self::OverrideDependsOn
            | Self::OverrideNotAllowed
            | Self::InvalidRequiredProviders
            | Self::InvalidVersionConstraint
            | Self::InvalidModuleSource
            | Self::InvalidProviderConfiguration
            | Self::ProviderBlockInRepeatedModule
            | Self::ProviderConfigurationOverridden
            | Self::MissingProviderConfiguration
            | Self::UndefinedProviderAlias
            | Self::ProviderTypeMismatch
            | Self::InvalidLifecycle
            | Self::InvalidMovedRemovedImport
            | Self::InvalidCheckOrCondition
            | Self::InvalidProvisioner
            | Self::InvalidAction
            | Self::InvalidTest
            | Self::UnsupportedEngineVersion
            | Self::UndeclaredReference
            | Self::UndefinedModuleOutput
            | Self::UnknownModuleArgument
            | Self::MissingModuleArgument
            | Self::ModuleArgumentType
            | Self::InvalidVariableValue
            | Self::InvalidLockFile
            | Self::MisplacedSymbol
            | Self::ReferenceCycle
            | Self::MissingModule
            | Self::SensitiveOutput
            | Self::InvalidFunctionCall
            | Self::NotAModule
            | Self::LimitReached => Severity::Error,
            Self::UndefinedProviderReference
            | Self::ProxyProviderBlock
            | Self::DuplicateRequiredProvider
            | Self::IgnoredBackendOrCloud
            | Self::DeprecatedQuoting
            | Self::DeprecatedProviderVersion
            | Self::UndeclaredVariableValue
            | Self::IgnoredObjectAttribute
            | Self::DeprecatedModuleArgument
            | Self::DeprecatedModuleOutput
            | Self::LinkLeavesRepository => Severity::Warning,
        }
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
