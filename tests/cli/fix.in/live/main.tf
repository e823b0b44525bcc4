terraform {
  required_version = "~> 1.9"
  required_providers {
    aws = "~> 5.0"
  }
}

module "net" {
  source   = "../modules/net"
  password = "secret"
}

module "zone" {
  source = "github.com/example/zone?depth=1&ref=51d462976d84fdea54b47d80dcabbf680badcdb8"
}

data "aws_region" "here" {}
