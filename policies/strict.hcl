# Everything, for those who start anew or want it so: matters of style and of taste too.

policy {
  extends = ["recommended"]
}
