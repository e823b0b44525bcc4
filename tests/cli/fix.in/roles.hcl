# This directory lies under `tests`, where rules give no advice.
role "root" { paths = ["tests/cli/fix.in/live", "tests/cli/fix.in/json"] }
role "shared" { paths = ["tests/cli/fix.in/modules/*"] }

rule "provider-source-missing" {
  level          = "notice"
  every_provider = true
}
