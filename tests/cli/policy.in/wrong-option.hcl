policy { fail_on = "warn" }

rule "naming" "own" {
  blocks = ["resource"]
  style  = "snake_cse"
}

rule "unused-declaratoin" {
  every = true
}
