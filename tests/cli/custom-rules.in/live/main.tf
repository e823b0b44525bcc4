resource "aws_instance" "web" {
  tags = { Name = "web" }
}

# overrule: allow(owner-tag) goes away with OPS-311
resource "aws_instance" "oldDatabase" {}
