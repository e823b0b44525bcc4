# What Terraform and OpenTofu report, and what overrule could not check (`not-a-module`, `link-leaves-repository`,
# `limit-reached`).
#
# A rule without a level has the severity that Terraform or OpenTofu gives its findings: usually an error, otherwise as
# noted here. All other presets extend this one.

rule "syntax-error" {}
rule "unreadable-file" {}
rule "duplicate-declaration" {}
rule "unsupported-block-or-argument" {}
rule "missing-argument" {}
rule "invalid-name" {}
rule "invalid-reference" {}
rule "invalid-value" {}
rule "invalid-type-constraint" {}
rule "invalid-default-value" {}
rule "override-without-base" {}
rule "override-depends-on" {}
rule "override-not-allowed" {}
rule "invalid-required-providers" {}
rule "invalid-version-constraint" {}
rule "invalid-module-source" {}
rule "invalid-provider-configuration" {}
rule "provider-block-in-repeated-module" {}
rule "provider-configuration-overridden" {}
rule "missing-provider-configuration" {}
rule "undefined-provider-reference" {} # warning
rule "undefined-provider-alias" {}
rule "provider-type-mismatch" {}
rule "proxy-provider-block" {} # warning
rule "duplicate-required-provider" {} # warning
rule "ignored-backend-or-cloud" {} # warning
rule "deprecated-quoting" {} # warning
rule "deprecated-provider-version" {} # warning
rule "invalid-lifecycle" {}
rule "invalid-moved-removed-import" {}
rule "invalid-check-or-condition" {}
rule "invalid-provisioner" {}
rule "invalid-action" {}
rule "invalid-test" {}
rule "unsupported-engine-version" {}
rule "undeclared-reference" {}
rule "undefined-module-output" {}
rule "unknown-module-argument" {}
rule "missing-module-argument" {}
rule "module-argument-type" {}
rule "invalid-variable-value" {}
rule "undeclared-variable-value" {} # warning
rule "invalid-lock-file" {}
rule "ignored-object-attribute" {} # warning
rule "deprecated-module-argument" {} # warning
rule "deprecated-module-output" {} # warning
rule "misplaced-symbol" {}
rule "reference-cycle" {}
rule "missing-module" {}
rule "sensitive-output" {}
rule "invalid-function-call" {}
rule "not-a-module" {}
rule "link-leaves-repository" {} # warning
rule "limit-reached" {}
