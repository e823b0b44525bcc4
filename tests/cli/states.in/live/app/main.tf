terraform {
  backend "s3" {
    key = "app.tfstate"
  }
}

data "terraform_remote_state" "net" {
  backend = "s3"

  config = {
    bucket = "acme-states"
    key    = "network.tfstate"
  }
}

module "lookup" {
  source = "../../modules/lookup"
  vpc    = data.terraform_remote_state.net.outputs.vpc_id
  subnet = data.terraform_remote_state.net.outputs.subnet_id
}
