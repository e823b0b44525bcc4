limits {
  file_size = 64
  nesting   = 1000
  depth     = 5
}
