# For the branch office.
variable "regoin" {
  default = "eu-central-1"
}
