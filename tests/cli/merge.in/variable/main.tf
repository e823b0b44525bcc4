variable "size" {
  type    = string
  default = 1
}

variable "names" {
  type    = list(string)
  default = []
}
