# All rules, including style and checks that not every team needs. Suited to new repositories.

policy {
  extends = ["recommended"]
}

# Overrides
rule "override-committed" { level = "warning" }
rule "override-overuse" { level = "notice" }
rule "override-replaces-nested-blocks" { level = "notice" }
rule "override-unannounced" { level = "notice" }

# Providers in modules
rule "providers-map-redundant" { level = "notice" }
rule "resource-without-provider" { level = "notice" }
rule "non-preferred-local-name" { level = "notice" }

# Versions
rule "lock-file-drift" { level = "warning" }
rule "required-provider-missing" {
  level        = "warning"
  every_module = true
}
rule "no-upper-bound-in-root" { level = "notice" }
rule "prerelease-in-range" { level = "notice" }
rule "provider-source-missing" {
  level          = "notice"
  every_provider = true
}
rule "provider-version-missing" { level = "notice" }
rule "unused-required-provider" { level = "warning" }
rule "upper-bound-in-shared-module" { level = "notice" }

# Sources and calls
rule "module-tree-depth" { level = "notice" }
rule "module-version-exact" { level = "notice" }

# Interfaces
rule "moved-target-missing" {
  level   = "warning"
  history = true
}
rule "breaking-interface-change" { level = "warning" }
rule "unused-declaration" { level = "warning" }
rule "unused-output" { level = "notice" }
rule "variable-type-missing" { level = "warning" }
rule "variable-description-missing" { level = "notice" }
rule "output-description-missing" { level = "notice" }
rule "depends-on-uncommented" { level = "notice" }

# Expressions
rule "deprecated-syntax" { level = "notice" }
