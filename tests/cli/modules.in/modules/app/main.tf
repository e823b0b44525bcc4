module "net" {
  source   = "../net"
  for_each = toset(["a", "b"])
}

module "cache" {
  source = "../net"
}
