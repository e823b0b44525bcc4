terraform {
  backend "s3" {
    bucket = "acme-states"
    key    = "a.tfstate"
  }
}
