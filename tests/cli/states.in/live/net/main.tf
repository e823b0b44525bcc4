terraform {
  backend "s3" {
    bucket = "acme-states"
    key    = "net.tfstate"
  }
}

output "vpc_id" {
  value = "vpc-1"
}
