variable "a" {}
variable "a" {} # overrule: allow(duplicate-declaration) shows what happens

variable "b" {}
variable "b" {}
