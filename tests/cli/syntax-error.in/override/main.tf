output "region" {
  value = var.region
}
