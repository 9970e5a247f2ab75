-- What a twin is made of besides the groups of `gpx characterize` and the table of operations: experiments of the
-- library, from the most needed one on. `least`: the compute capability that has it (90: 9.0). `virtual`: settings
-- with which a virtual GPU, which runs blocks one by one, takes seconds; `settings`: those of every device.
return {
  { part = "rates", file = "twin_rates.gpx", virtual = { l2_blocks = 264, most_blocks = 2048 } },
  { part = "rates", file = "twin_limits.gpx", virtual = { times = 1 } },
  { part = "training", file = "twin_training.gpx", settings = { large = 528 } },
  { part = "bandwidth", file = "hopper_bandwidth.gpx",
    experiments = { "hopper_bandwidth_gpu" }, virtual = { dram_blocks = 1056 } },
  { part = "hopper", file = "hopper_async.gpx", least = 80,
    experiments = { "hopper_async", "hopper_async_l2" }, virtual = { places = 1 } },
  { part = "hopper", file = "hopper_mbarrier.gpx", least = 90 },
  { part = "hopper", file = "hopper_cluster.gpx", least = 90 },
  { part = "hopper", file = "hopper_dsmem.gpx", least = 90 },
  { part = "hopper", file = "hopper_tma.gpx", least = 90,
    experiments = { "hopper_tma", "hopper_tma_rate", "hopper_tensor" }, settings = { places = 2 },
    virtual = { places = 1 } },
  { part = "hopper", file = "hopper_wgmma.gpx", least = 90,
    experiments = { "hopper_wgmma_latency", "hopper_wgmma_completion", "hopper_wgmma_sparse" } },
}
