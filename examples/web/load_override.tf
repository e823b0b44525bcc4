# For the load test.
resource "aws_instance" "web" {
  instance_type = "t3.xlarge"
  depends_on    = []

  root_block_device {
    volume_size = 200
  }

  lifecycle {
    prevent_destroy = false
  }
}

terraform {
  required_providers {
    aws = { version = "~> 6.0" }
  }
}
