terraform {
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = "~> 5.0"
    }
  }
}

# Serves the site.
resource "aws_instance" "web" {
  ami           = "ami-408c7f28"
  instance_type = "t2.micro" # enough for most

  root_block_device {
    volume_size = 20
    encrypted   = true
  }

  lifecycle {
    ignore_changes = [tags]
  }
}
