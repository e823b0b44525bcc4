generate "provider" {
  path     = "provider.tf"
  contents = <<TF
provider "aws" {
  region = "eu-west-1"
}
TF
}
