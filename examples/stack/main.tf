terraform {
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = "~> 6.0"
    }
  }
}

provider "aws" {
  region = "eu-west-1"
}

provider "aws" {
  alias  = "west"
  region = "us-west-2"
}

module "network" {
  source = "./network"
  providers = {
    aws      = aws
    aws.peer = aws.west
  }
}

module "cluster" {
  source   = "./cluster"
  for_each = toset(["blue", "green"])
  network  = module.network.id
}

module "bucket" {
  source  = "terraform-aws-modules/s3-bucket/aws"
  version = "~> 4.0"
}
