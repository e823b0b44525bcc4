variable "region" {
  default = "north"
}
