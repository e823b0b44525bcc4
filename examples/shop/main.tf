variable "region" {
  type    = string
  default = "eu-west-1"
}

module "network" {
  count  = 2
  source = "./network"
  region = var.region
}
