policy {
  extends = ["language"]
  fail_on = "warning"
}

paths "tests/cli/policy.in/live" {
  rule "duplicate-declaration" { level = "notice" }
}
