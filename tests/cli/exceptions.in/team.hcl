exception "duplicate-declaration" {
  paths  = ["tests/cli/exceptions.in/live"]
  reason = "goes away with OPS-311"
  until  = "2027-03-31"
}
