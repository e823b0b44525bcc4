resource "terraform_data" "a" {
  input = 1

resource "terraform_data" "b" {
  for_each = { x = 1 }
  input    = each.key
}

output "b" {
  value = terraform_data.b["x"].id
}
