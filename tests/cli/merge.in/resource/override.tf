resource "aws_instance" "web" {
  depends_on = [aws_vpc.main]

  connection {
    host = "b.example.net"
  }

  provisioner "local-exec" {
    command = "echo three"
  }

  lifecycle {
    create_before_destroy = true
  }
}

output "id" {
  depends_on = [aws_instance.web]
}

locals {
  one = 11
  two = 22
}
