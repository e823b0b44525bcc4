variable "size" {
  default = 1
}

resource "terraform_data" "b" {}

output "mo" {
  value = var.size
}

module "n" {
  source = "./n"
}
