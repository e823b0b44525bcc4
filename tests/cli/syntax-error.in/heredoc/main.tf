resource "terraform_data" "app" {
  count = 2
  input = <<EOF
app ${count.index} in ${local.region}
not closedEOF
}

locals {
  region = "${each.key} ${self.id} ${local.zone}"
  zone   = local.region
}
