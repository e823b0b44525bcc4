terraform {
  backend "s3" {
    bucket = "acme-states"
    key    = "b.tfstate"
  }
}
