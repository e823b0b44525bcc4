resource "aws_instance" "wbe" {
  ami = "foo"
}
