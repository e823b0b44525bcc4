provider "aws" {
  region = "eu-west-1"
}

provider "aws" {
  alias  = "west"
  region = "us-west-2"
}

module "app" {
  source = "../../modules/app"
  count  = 2
}

module "db" {
  source = "../../modules/db"
  providers = {
    aws.replica = aws.west
  }
}

module "gone" {
  source = "../../modules/gone"
}

module "from_elsewhere" {
  source  = "terraform-aws-modules/vpc/aws"
  version = "5.0.0"
}
