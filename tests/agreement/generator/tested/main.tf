variable "n" {
  type    = number
  default = 1

  validation {
    condition     = var.n > 0
    error_message = "Too small."
  }
}

variable "name" {
  type = string
}

variable "tags" {
  type    = map(string)
  default = {}
}

variable "opt" {
  type = object({
    a = string
    b = optional(number, 3)
  })
  default = { a = "x" }
}

locals {
  title = "t-${var.name}"
}

resource "terraform_data" "a" {
  input = var.name

  lifecycle {
    precondition {
      condition     = var.n < 1000
      error_message = "Too large."
    }
  }
}

resource "terraform_data" "many" {
  count = 2
  input = count.index
}

module "m" {
  source = "./m"
  size   = var.n
}

check "c" {
  assert {
    condition     = var.n < 100
    error_message = "Rather large."
  }
}

output "k" {
  value = var.n
}

output "id" {
  value = terraform_data.a.id
}

output "title" {
  value = local.title

  precondition {
    condition     = length(local.title) < 40
    error_message = "Too long."
  }
}

output "secret" {
  value     = "s"
  sensitive = true
}
