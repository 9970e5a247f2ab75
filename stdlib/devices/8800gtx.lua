-- NVIDIA GeForce 8800 GTX (G8x, compute capability 1.0), as hong2009 describes it: what differs from the
-- FX 5600. A value carries its source.

return {
  base = "fx5600",
  name = "8800gtx",
  title = "NVIDIA GeForce 8800 GTX (G8x)",
  memory = { "768 MB", source = "hong2009 Table 3" },

  dram = {
    latency = { "420 clocks", source = "hong2009 Table 6: Mem_LD, and section 5.1: as the FX 5600" },
  },
  memory_queue = {
    coalesced = { "4 clocks", source = "hong2009 Table 6, and section 5.1: as the FX 5600" },
    uncoalesced = { "10 clocks", source = "hong2009 Table 6, and section 5.1: as the FX 5600" },
    -- The data sheet's, of which a real one delivers less: no record says how much.
    bandwidth = { 86.4 / 1.35, source = "hong2009 Table 3: 86.4 GB/s at 1.35 GHz" },
  },
}
