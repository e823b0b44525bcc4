variable "keep" {
  type    = bool
  default = true
}

resource "terraform_data" "store" {
  lifecycle {
    prevent_destroy = var.keep
  }
}
