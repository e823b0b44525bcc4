resource "aws_instance" "web" {
  ami = "ami-408c7f28"

  connection {
    host = "a.example.net"
    user = "root"
  }

  provisioner "local-exec" {
    command = "echo one"
  }

  provisioner "local-exec" {
    command = "echo two"
  }

  lifecycle {
    ignore_changes = [tags]
  }
}

output "id" {
  value = aws_instance.web.id
}

locals {
  one = 1
}

locals {
  two = 2
}
