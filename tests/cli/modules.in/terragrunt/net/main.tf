resource "aws_vpc" "net" {}
