variable "vpc" {
  type = string
}

variable "subnet" {
  type = string
}

data "terraform_remote_state" "dns" {
  backend = "gcs"

  config = {
    bucket = "acme-states"
    prefix = "dns"
  }
}

output "zone" {
  value = data.terraform_remote_state.dns.outputs.zone
}
