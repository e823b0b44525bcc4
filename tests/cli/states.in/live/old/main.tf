terraform {
  backend "gcs" {
    bucket = "acme-states"
    prefix = "dns"
  }
}

output "zone" {
  value = "example.org"
}
