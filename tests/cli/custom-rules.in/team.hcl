policy {
  extends = ["language"]
}

rule "required-argument" "owner-tag" {
  level    = "warning"
  blocks   = ["resource.aws_*"]
  argument = "tags.Owner"
  message  = "Resource without an owner"
  help     = "add an `Owner` to `tags`"
}

rule "naming" "snake-case" {
  blocks = ["resource"]
  style  = "snake_case"
}

paths "tests/cli/custom-rules.in/lab" {
  rule "owner-tag" { level = "off" }
}
