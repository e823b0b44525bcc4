policy {
  extends = ["recommended"]
}

role "root" { paths = ["examples/web"] }

rule "required-version-missing" { level = "off" }

rule "module-source-unpinned" {
  level = "error"
  allow = ["git::https://git.example.com/**"]
}

rule "required-argument" "owner-tag" {
  level    = "warning"
  blocks   = ["resource.aws_*"]
  argument = "tags.Owner"
  message  = "Resource without an owner"
}

exception "owner-tag" {
  paths  = ["examples/stack"]
  reason = "will be tagged in OPS-311"
  until  = "2027-03-31"
}
