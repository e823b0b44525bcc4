terraform {
  backend "s3" {
    bucket = "CHANGE-ME"
  }
}
