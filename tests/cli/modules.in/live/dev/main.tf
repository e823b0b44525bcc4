terraform {
  backend "local" {}
}

module "app" {
  source = "../../modules/app"
}

module "db" {
  source = "../../modules/db"
}
