policy {
  extends = ["language"]
}

limits {
  file_size = "1KiB"
  nesting   = 12
}
