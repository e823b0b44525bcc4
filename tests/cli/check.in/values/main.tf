terraform {
  backend "local" {}
}

variable "size" {
  type = number
}
