rule "required-argument" "owner-tag" {
  blocks   = ["resource.aws_*"]
  argument = "tags.Owner"

  example "a resource that nobody owns" {
    code = <<-EOT
      resource "aws_instance" "web" {
      #^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Resource without an owner
        ami = "ami-1"
      }
    EOT
  }
}
