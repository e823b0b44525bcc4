terraform {
  required_providers {
    aws = {
      source                = "hashicorp/aws"
      configuration_aliases = [aws.replica]
    }
  }
}

resource "aws_db_instance" "replica" {
  provider = aws.replica
}
