module "net" {
  source = "../net"
}
