-- peak_flops(op = op, count = count, threads = full): floating-point operations a second of the whole GPU, by type.
--
-- The measure `throughput` runs an operation of the axis `op` on a full block of `threads`. What one more execution of
-- the block adds is read from the slope over `count`. From executions in a clock of one SM follows what all SMs do in a
-- second, at the SM clock that the device reports as its highest: under load a GPU may clock lower. A multiply-add is two
-- operations. Operations of the axis that are none of multiply-add are left out.
-- Arguments that must be given: op, count, threads.
-- Arguments that need 4 values: count.
-- Covered by tests/runtime/inference_pipelines_test.cpp.

local lines = use "parts/line"
local pick = use "parts/select"

local M = {}

-- By operation: the type as the finding names it, and the floating-point operations of one thread's execution. A product
-- of m by n by k is of 32 threads: 2 m n k / 32 each.
local KINDS = {
  ["fma.rn.f64"] = { "f64", 2 },
  ["fma.rn.f32"] = { "f32", 2 },
  ["fma.f16x2"] = { "f16", 4 },
  ["fma.bf16x2"] = { "bf16", 4 },
  ["mma.m16n8k16.f32.f16"] = { "mma.f16", 128 },
  ["mma.m16n8k16.f32.bf16"] = { "mma.bf16", 128 },
  ["mma.m16n8k8.f32.tf32"] = { "mma.tf32", 64 },
}

-- What a clock of one SM's executions is in operations a second of all SMs.
local function scale_of(device, each) return each * math.floor(device.sm_count) * device.clock_hz end

local function report(input, op, kind, count, threads)
  local name, each = "peak." .. kind[1], kind[2]
  local samples = pick.measure(input.samples, "throughput"):filter(function(row) return row[input.args.op] == op end)
  local line = lines.of(input, samples, count, "execution", lines.within)
  if input.device.clock_hz <= 0 then line.why = line.why or "the device reports no SM clock" end
  pick.slope(name, "FLOP/s", line, function(slope) return threads / slope * scale_of(input.device, each) end,
             string.format("%.4g %s a clock of an SM, %d operations each, on %d SMs at %.3f GHz as reported%s",
                           threads / (line.slope or 1), op, each, math.floor(input.device.sm_count),
                           input.device.clock_hz * 1e-9, lines.caveat(line)),
             { { measure = "throughput", [input.args.op] = op } })
end

function M.run(input)
  pick.only(input, "peak_flops", { "op", "count", "threads" })
  local op, count = pick.axis(input, "op", "op = op"), pick.axis(input, "count", "count = count")
  pick.no_other_axes(input, "peak_flops", { op, count })
  pick.need(input.samples, "measure", "have the measure throughput")
  pick.need(input.samples, "latency", "observe latency")
  local threads = pick.count(input, "threads")
  for _, name in ipairs(input.samples:distinct(op)) do
    if KINDS[name] then report(input, name, KINDS[name], count, threads) end
  end
end

return M
