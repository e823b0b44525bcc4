rule "required-argument" "owner-tag" {
  level    = "warning"
  blocks   = ["resource.aws_*"]
  argument = "tags.Owner"
  message  = "Resource without an owner"

  example "a resource that nobody owns" {
    code = <<-EOT
      resource "aws_instance" "web" {
      #^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning: Resource without an owner
        ami = "ami-1"
      }
    EOT
  }

  example "a resource with an owner" {
    code = <<-EOT
      resource "aws_instance" "web" {
        tags = { Owner = "team-web" }
      }
    EOT
  }
}

rule "required-file" "readme" {
  file  = "README.md"
  roles = ["shared"]
}
