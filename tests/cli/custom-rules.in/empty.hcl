rule "allowed-source" "sources" {}

rule "naming" "names" {
  blocks = ["resource"]
}

rule "forbidden-block" "no-users" {
  blocks = []
}
