# What the documentation asks for and no engine enforces, and what the engines let through in silence.
#
# A rule is here if it is hardly ever wrong and what it finds is worth a change in most repositories.

policy {
  extends = ["language"]
}

# Overrides
rule "override-drops-provider-source" { level = "error" }
