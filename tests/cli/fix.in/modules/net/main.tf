terraform {
  required_version = ">= 1.3"
}

variable "password" {
  type      = string
  sensitive = true
}

output "password" {
  value = var.password # for the others
}
