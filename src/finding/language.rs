//! What the engines report, grouped as people would allow or forbid it, and what keeps this program from looking at
//! all.

use super::{Category, RuleId, Severity};

/// A rule that an engine enforces, or one about the check itself. Its page is `policies/rules/<name>.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EngineRule {
    /// A file that its parser refuses.
    SyntaxError,
    /// A file or directory that cannot be read.
    UnreadableFile,
    /// Two declarations of one thing.
    DuplicateDeclaration,
    /// A block or argument that is not expected where it stands.
    UnsupportedBlockOrArgument,
    /// A required argument that is not there.
    MissingArgument,
    /// A name that the language does not allow.
    InvalidName,
    /// An expression that should be a reference, and is not one that can be used there.
    InvalidReference,
    /// A value of the wrong kind.
    InvalidValue,
    /// A type expression that names no type.
    InvalidTypeConstraint,
    /// A default that its type constraint does not accept.
    InvalidDefaultValue,
    /// A block in an override file that has nothing to override.
    OverrideWithoutBase,
    /// `depends_on` in an override file.
    OverrideDependsOn,
    /// A block that may not stand in an override file.
    OverrideNotAllowed,
    /// A provider requirement that cannot be read.
    InvalidRequiredProviders,
    /// A version constraint that cannot be read.
    InvalidVersionConstraint,
    /// A module source address that cannot be read.
    InvalidModuleSource,
    /// A provider block, or a reference to one, that cannot be read.
    InvalidProviderConfiguration,
    /// A module with provider configurations of its own, called with `count`, `for_each` or `depends_on`.
    ProviderBlockInRepeatedModule,
    /// A provider passed to a module that configures it itself.
    ProviderConfigurationOverridden,
    /// A provider configuration that a module needs and its caller does not pass.
    MissingProviderConfiguration,
    /// A provider passed under a name that one side does not declare.
    UndefinedProviderReference,
    /// A reference to a provider alias that nothing configures.
    UndefinedProviderAlias,
    /// A provider passed where the module expects another one.
    ProviderTypeMismatch,
    /// An empty provider block, once needed to pass a provider on.
    ProxyProviderBlock,
    /// One provider under two local names.
    DuplicateRequiredProvider,
    /// A backend or cloud block in a module that is not a root.
    IgnoredBackendOrCloud,
    /// A reference or keyword in quotes.
    DeprecatedQuoting,
    /// A version constraint inside a provider block.
    DeprecatedProviderVersion,
    /// A lifecycle setting that cannot be used.
    InvalidLifecycle,
    /// A moved, removed or import block that cannot be used.
    InvalidMovedRemovedImport,
    /// A check, or a condition, that cannot be used.
    InvalidCheckOrCondition,
    /// A provisioner or connection that cannot be used.
    InvalidProvisioner,
    /// An action, or a trigger of one, that cannot be used.
    InvalidAction,
    /// A part of a test that cannot be used.
    InvalidTest,
    /// A version of the engine, of the language edition or of an experiment that is not this one.
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
    /// A dependency lock file that the engines refuse.
    InvalidLockFile,
    /// An attribute of an object that the type of its target does not have.
    IgnoredObjectAttribute,
    /// A value for a variable that the called module wants nobody to set any more.
    DeprecatedModuleArgument,
    /// A reference to an output that the called module wants nobody to use any more.
    DeprecatedModuleOutput,
    /// `each`, `count`, `self`, `path` or `terraform` where it means nothing.
    MisplacedSymbol,
    /// Declarations that need each other.
    ReferenceCycle,
    /// A local module source with nothing there.
    MissingModule,
    /// An output of a root module that gives away a sensitive value.
    SensitiveOutput,
    /// A call of a function that does not exist, or with arguments that it does not take.
    InvalidFunctionCall,
    /// A directory whose files do not make up a module.
    NotAModule,
    /// A symbolic link that leads out of the repository.
    LinkLeavesRepository,
    /// A file beyond what this program reads, so that it was read in part.
    LimitReached,
}

impl EngineRule {
    /// Every one of them, in the order of the catalogue.
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

    /// The name that people write.
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

    /// What the engines make of it, as a rule. A finding has a severity of its own, because now and then one rule
    /// speaks of an error here and of a warning there.
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
            | Self::NotAModule => Severity::Error,
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
            Self::LimitReached => Severity::Notice,
        }
    }

    /// Who asks for it: an engine, or else this program, which tells what it did not look at.
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
    fn of_what_is_not_looked_at_no_engine_says_anything() {
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
