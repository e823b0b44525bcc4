policy {
  extends = ["language"]
}
