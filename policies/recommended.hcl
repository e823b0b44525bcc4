# What the documentation recommends, and what Terraform and OpenTofu accept without a report.
#
# A rule is in this preset if its findings are almost always right and worth a change in most repositories.

policy {
  extends = ["language"]
}

# Exceptions themselves
rule "unused-exception" { level = "warning" }
rule "expired-exception" { level = "warning" }

# Overrides
rule "override-breaks-block" { level = "error" }
rule "override-count-for-each-clash" { level = "error" }
rule "override-drops-provider-source" { level = "error" }
rule "override-duplicate-target" { level = "warning" }
rule "override-empties-provider-block" { level = "warning" }
rule "override-hides-unknown-argument" { level = "error" }
rule "override-ignored-argument" { level = "warning" }
rule "override-ignored-block" { level = "error" }
rule "override-near-miss-name" { level = "warning" }
rule "override-replaces-backend" { level = "warning" }
rule "override-replaces-provider-version" { level = "notice" }
rule "override-replaces-providers-map" { level = "warning" }
rule "override-replaces-provisioners" { level = "warning" }
rule "override-replaces-required-version" { level = "notice" }
rule "override-source-keeps-version" { level = "error" }
rule "override-stale-optional-default" { level = "error" }
rule "override-uncommitted" { level = "notice" }

# Providers in modules
rule "no-default-provider" { level = "warning" }
rule "misleading-providers-entry" { level = "error" }
rule "provider-block-in-shared-module" { level = "warning" }
rule "provider-block-without-effect" { level = "error" }
rule "provider-configuration-changed" { level = "warning" }
rule "provider-configuration-swapped" { level = "error" }
rule "provider-removed-with-resources" { level = "warning" }
rule "unused-configuration-alias" { level = "warning" }
rule "providers-map-incomplete" { level = "notice" }

# Versions
rule "required-provider-missing" { level = "warning" }
rule "provider-source-missing" { level = "notice" }
rule "single-component-pessimistic" { level = "warning" }
rule "required-version-missing" { level = "notice" }
rule "unsatisfiable-constraints" { level = "error" }
rule "tofu-twin-drift" { level = "warning" }

# Sources and calls
rule "module-source-unpinned" { level = "warning" }
rule "module-version-missing" { level = "warning" }
rule "module-source-escapes-repository" { level = "warning" }
rule "module-source-subdir-order" { level = "error" }
rule "module-depth-with-commit" { level = "error" }
rule "module-call-cycle" { level = "error" }

# Interfaces
rule "sensitive-value-in-plain-output" { level = "warning" }
rule "shared-state-address" { level = "warning" }
rule "default-fails-validation" { level = "warning" }
rule "sensitive-default" { level = "notice" }
rule "moved-target-missing" { level = "warning" }
rule "moved-without-moved-block" { level = "warning" }
rule "undeclared-remote-state-output" { level = "warning" }

# Expressions
rule "comparison-of-different-types" { level = "warning" }
rule "duplicate-key" { level = "warning" }
rule "ignored-object-attribute" { level = "warning" }
