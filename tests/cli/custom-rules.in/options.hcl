rule "naming" "snake-case" {
  blocks = ["resource"]
  style  = "snake_cse"
}
