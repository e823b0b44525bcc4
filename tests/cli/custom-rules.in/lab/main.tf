resource "aws_instance" "try" {}
