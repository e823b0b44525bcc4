key = "prod.tfstate"
