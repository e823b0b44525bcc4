rule "duplicate-declarations" {
  level = "warn"
}
