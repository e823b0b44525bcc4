variable "size" {
  type = number
}

variable "names" {
  default = ["a"]
}
