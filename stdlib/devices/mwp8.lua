-- As mwp2.lua, with an SM that serves 8 memory warps at a time.

return {
  base = "mwp2",
  name = "mwp8",
  title = "an SM with a memory warp parallelism of 8",
  prt = { entries = { 8, source = "hong2009 section 3.2: Cases 3, 4 and 5" } },
}
