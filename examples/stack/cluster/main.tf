terraform {
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 5.0"
    }
  }
}

variable "network" {
  description = "The network to put it into."
  type        = string
}

resource "aws_eks_cluster" "this" {
  name     = "main"
  role_arn = "arn:aws:iam::123456789012:role/cluster"

  vpc_config {
    subnet_ids = [var.network]
  }
}
