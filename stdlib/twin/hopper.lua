-- What came with Ampere and Hopper: copies that do not wait, mbarriers, products of a warpgroup, clusters.

-- ---------------------------------------------------------------- wgmma

local function product(n, operands) return string.format("wgmma.latency[n=%d,operands=%s]", n, operands) end
local function sums(n, operands) return string.format("wgmma.completion[n=%d,operands=%s]", n, operands) end

local function column(e)
  local large, small = e:v(product(256, "rs")), e:v(product(128, "rs"))
  return large and small and (large - small) / 128
end
-- 64 rows of A of 32 bytes, and as many bytes of each column of B.
local function tiles(n) return 64 * 32 + n * 32 end
local function shared_bandwidth(e)
  local least = e:v(product(8, "ss"))
  return least and tiles(8) / least
end
-- From the last column to the sums.
local function after(e, n)
  local done, each = e:v(sums(n, "rs")), column(e)
  return done and each and done - math.max(n * each, e:got "wgmma.least" or 1)
end
local function sums_column(e)
  local large, small = after(e, 256), after(e, 128)
  return large and small and math.max(0, (large - small) / 128)
end
local function completion(e)
  local least
  for _, n in ipairs { 8, 64, 128 } do
    local one = after(e, n)
    if one and (not least or one < least) then least = one end
  end
  return least and math.max(1, math.max(least, after(e, 64) or least))
end
local function difference(a, b)
  return function(e)
    local one, other = e:v(a), e:v(b)
    return one and other and math.max(0, one - other)
  end
end

local wgmma = {
  { field = "column", unit = "clocks", value = column, how = "products of 256 and 128 columns" },
  { field = "least", unit = "clocks", finding = product(8, "rs"), optional = true },
  { field = "shared_bandwidth", unit = "", value = shared_bandwidth, how = "both tiles of eight columns over their clocks",
    assumed = 128, why = "as shared memory; no product of both tiles was measured" },
  { field = "sparse", unit = "clocks", optional = true, how = "sparse less dense, of 256 columns",
    value = difference("wgmma.sparse.latency[n=256,operands=rs]", product(256, "rs")) },
  { field = "latency", unit = "clocks", value = completion, how = "completion less the columns", assumed = 34,
    why = "as an H100's; no completion was measured" },
  { field = "sums", unit = "clocks", optional = true, how = "completion of 256 columns, less them and its slope",
    value = function(e)
      local large, each = after(e, 256), sums_column(e)
      return large and each and math.max(0, large - 256 * each)
    end },
  { field = "sums_column", unit = "clocks", value = sums_column, optional = true, how = "completions of 256 and 128 columns" },
  { field = "shared_latency", unit = "clocks", optional = true, how = "of A in shared memory less in registers",
    value = difference(sums(256, "ss"), sums(256, "rs")) },
}

-- ---------------------------------------------------------------- copies

local function copy_extra(e)
  local copy, load = e:v "cp_async.latency[bytes=16]", e:got "l1.latency"
  return copy and load and math.max(0, copy - load)
end

local function tma(bytes, more) return string.format("tma.latency[bytes=%d%s]", bytes, more or "") end

-- B/clock between copies of 16 and of 32 KB.
local function bulk_rate(more)
  return function(e)
    local small, large = e:v(tma(16384, more)), e:v(tma(32768, more))
    return small and large and large > small and 16384 / (large - small)
  end
end
local ANNOUNCED = 15 -- clocks of a load's announcement and of the wait for it

local function bulk_latency(more)
  return function(e)
    local least, rate = e:v(tma(16, more)), bulk_rate(more)(e)
    return least and rate and math.max(1, least - 16 / rate - (more and 0 or ANNOUNCED))
  end
end
local function tensor_latency(e)
  local least, rate = e:v(tma(2048, ",box=two")), bulk_rate()(e)
  return least and rate and math.max(1, least - 2048 / rate - ANNOUNCED)
end
local function box_row(e)
  local narrow, wide = e:v(tma(2048, ",box=narrow")), e:v(tma(2048, ",box=two"))
  return narrow and wide and math.max(0, (narrow - wide) / 128)
end
local function bulk_interval(e)
  local kilobyte, rate = e:v "tma.bandwidth[bytes=1024]", bulk_rate()(e)
  return kilobyte and rate and math.max(0, 1024 / kilobyte)
end

local bulk = {
  { field = "latency", unit = "clocks", value = bulk_latency(), how = "of 16 bytes, less 15 clocks of its announcement" },
  { field = "bandwidth", unit = "", value = bulk_rate(), how = "B/clock between 16 and 32 KB" },
  { field = "store_latency", unit = "clocks", value = bulk_latency ",op=write", assumed = 40, why = "no store was measured" },
  { field = "store_bandwidth", unit = "", value = bulk_rate ",op=write", how = "B/clock between 16 and 32 KB",
    assumed = 32, why = "no store was measured" },
  { field = "tensor_latency", unit = "clocks", value = tensor_latency, optional = true,
    how = "a box of 2 KB, less its bytes and its announcement" },
  { field = "row", unit = "clocks", value = box_row, optional = true, how = "128 rows of 16 bytes less a box of two dimensions" },
  { field = "interval", unit = "clocks", value = bulk_interval, optional = true, how = "copies of 1 KB, B/clock" },
}

-- ---------------------------------------------------------------- clusters

local SIZES = { 1, 2, 4, 8, 16 }

local function cluster_barrier(size, relaxed)
  return string.format("cluster.barrier[cluster=%d%s]", size, relaxed and ",kind=relaxed" or "")
end

-- By place of an SM in its GPC, where the latencies of ranks are those of an H200 (docs/results/h200/dsmem_pairs.csv).
-- Clusters of two have the last two places to themselves.
local POSITIONS = { 17, 13.25, 11, 10, 8.75, 11.75, 12, 8.25, 6, 5, 2.75, 5.75, 7, 3.25, 5.5, 5.5 }
local function positions(e)
  if not e:got "machine_code" then return nil end
  local first
  for rank = 1, #POSITIONS - 3 do
    local one = e:v(string.format("dsmem.latency[cluster=16,rank=%d]", rank))
    local place = one and one - POSITIONS[rank + 1]
    if not place or first and math.abs(place - first) > 2 then return nil end
    first = first or place
  end
  return POSITIONS
end

local function rank_latency(e)
  if e:got "cluster.positions" then
    local one = e:v "dsmem.latency[cluster=16,rank=1]"
    return one and one - POSITIONS[1] - POSITIONS[2]
  end
  local total, count = 0, 0
  for rank = 1, 15 do
    local one = e:v(string.format("dsmem.latency[cluster=16,rank=%d]", rank))
      or rank < 8 and e:v(string.format("dsmem.latency[cluster=8,rank=%d]", rank))
    if one then total, count = total + one, count + 1 end
  end
  return count > 0 and total / count or nil
end

local function steps(first)
  return function(e)
    local base, list = first(e, 1), {}
    if not base then return nil end
    for i, size in ipairs(SIZES) do
      local one = first(e, size)
      if not one then break end
      list[i] = math.max(0, one - base)
    end
    return #list > 1 and list or nil
  end
end
local function relaxed(e, size) return e:v(cluster_barrier(size, true)) end
local function release(e, size)
  local whole, plain = e:v(cluster_barrier(size)), relaxed(e, size)
  return whole and plain and math.max(0, whole - plain)
end

-- Words take 4 bytes of a lane and 16: two points of clocks = bytes / bandwidth + request.
local function two_widths(op)
  return function(e)
    local words, wide = e:v("dsmem.bandwidth[cluster=2,op=" .. op .. "]"), e:v("dsmem.bandwidth[cluster=2,op=" .. op .. "_16B]")
    if not words or not wide then return nil end
    local a, b = 128 / words, 512 / wide
    local each = (b - a) / 384
    return each > 0 and 1 / each, math.max(0, a - 128 * each)
  end
end
local function bandwidth(op) return function(e) return two_widths(op)(e) or nil end end
local function request(op)
  return function(e)
    local _, clocks = two_widths(op)(e)
    return clocks
  end
end

local function most(e)
  for i = #SIZES, 1, -1 do
    if e:v(cluster_barrier(SIZES[i])) then return SIZES[i] end
  end
end

-- Threads of the block whose barriers an operation's throughput counts.
local BLOCK = 1024
local function arrival(op)
  return function(e)
    local rate, one = e:v(op .. ".throughput"), e:v(op .. ".latency")
    return rate and one and math.max(0, (BLOCK / rate - one) / (BLOCK / 32 - 1))
  end
end
local function release_behind(e)
  local clocks = e:got "cluster.release"
  return e:got "machine_code" and clocks and clocks > 125 and 125
end

local cluster = {
  { field = "most", unit = "count", value = most, how = "the largest that ran", assumed = 8, why = "portable on all devices with clusters" },
  { field = "positions", unit = "list", optional = true, assumed = positions, why = "as an H200's, by hand (docs/results/h200/dsmem_pairs.csv)" },
  { field = "pairs", unit = "word", optional = true, assumed = function(e) return e:got "cluster.positions" and "last" end,
    why = "as on an H200, by hand (docs/results/h200/dsmem_pairs.csv)" },
  { field = "latency", unit = "clocks", value = rank_latency, how = "less what both SMs are further away, or the mean over ranks", assumed = 200,
    why = "no load of another block was measured" },
  { field = "own", unit = "clocks", finding = { "dsmem.latency[cluster=2,rank=0]", "shared.latency" }, assumed = 30,
    why = "no load of the own block was measured" },
  { field = "bandwidth", unit = "", value = bandwidth "read", optional = true, how = "B/clock by words of 4 and 16 bytes" },
  { field = "request", unit = "clocks", value = request "read", optional = true, how = "by words of 4 and 16 bytes" },
  { field = "store_bandwidth", unit = "", value = bandwidth "write", optional = true, how = "B/clock by words of 4 and 16 bytes" },
  { field = "store_request", unit = "clocks", value = request "write", optional = true, how = "by words of 4 and 16 bytes" },
  { field = "barrier", unit = "clocks", finding = cluster_barrier(1, true), assumed = 60, why = "no relaxed barrier was measured" },
  { field = "barrier_steps", unit = "list", value = steps(relaxed), optional = true, how = "relaxed barriers by blocks" },
  { field = "per_warp", unit = "clocks", value = arrival "op.barrier.cluster.relaxed", optional = true, how = "a barrier of 32 warps less one of one, over 31" },
  { field = "release", unit = "clocks", optional = true, how = "a barrier less the relaxed one",
    value = function(e) return release(e, 1) end },
  { field = "release_behind", unit = "clocks", optional = true, assumed = release_behind,
    why = "as an H200's, by hand (docs/results/h200/mechanisms.csv, stores to another block)" },
  { field = "release_warp", unit = "clocks", value = arrival "op.barrier.cluster", optional = true, how = "a barrier of 32 warps less one of one, over 31" },
  { field = "release_steps", unit = "list", value = steps(release), optional = true, how = "barriers less relaxed ones, by blocks" },
}

return {
  { name = "wgmma", rows = wgmma, when = function(e) return column(e), "products of warpgroups were not measured" end },
  { name = "async_copy", when = function(e) return copy_extra(e), "copies by each thread were not measured" end,
    rows = { { field = "extra", unit = "clocks", value = copy_extra, how = "less a load from L1" } } },
  { name = "bulk_copy", rows = bulk, when = function(e) return bulk_latency()(e), "bulk copies were not measured" end },
  { name = "mbarrier", when = function(e) return e:v "mbarrier.arrive" and e:v "mbarrier.test_wait", "mbarriers were not measured" end,
    rows = {
      { field = "arrive", unit = "clocks", finding = "mbarrier.arrive" },
      { field = "test", unit = "clocks", finding = "mbarrier.test_wait" },
    } },
  { name = "cluster", rows = cluster, when = function(e) return most(e), "clusters were not measured" end },
}
