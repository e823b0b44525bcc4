rule "required-argument" {
  level = "warning"
}

rule "naming" "snake-case" {
  blocks = ["resource"]
  stile  = "snake_case"
}
