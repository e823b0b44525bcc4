variable "names" {
  type = list(string)

  validation {
    condition     = [for name in var.names : length(name) > 2 ...]
    error_message = "A name has more than two characters."
  }
}

locals {
  first = length(var.names > 0
}

resource "terraform_data" "app" {
  count = var.names[0] +

  provisioner "remote-exec" {
    inline = [for name in var.names : name...]
  }
}

output "app" {
  value = [terraform_data.app.id, local.first.id]
}
