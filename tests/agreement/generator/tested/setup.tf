variable "region" {
  type    = string
  default = "eu"
}

resource "terraform_data" "s" {
  input = 1
}

output "zone" {
  value = "${var.region}-1"
}

output "id" {
  value = terraform_data.s.id
}
