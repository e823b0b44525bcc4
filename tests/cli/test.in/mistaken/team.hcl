rule "naming" "snake-case" {
  blocks = ["resource"]
  style  = "snake_case"

  exmple "a name" {
    code = ""
  }
}
