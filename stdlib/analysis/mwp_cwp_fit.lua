-- mwp_cwp_fit(benchmark = benchmark, pattern = pattern, Mem_Bandwidth = 76.8e9, Issue_cycles = 4):
-- the memory parameters of the MWP/CWP model from the micro-benchmarks of stdlib/kernels/micro.cu.
--
-- Two measures over benchmarks 1..7 and patterns 0..4: `latency`, one warp, and `throughput`, SMs
-- full of warps. What a benchmark takes with its loads on (patterns 1 to 3) less what it takes with
-- them off (0; 4 for pattern 3) is nothing but memory: least squares over the number of loads.
-- Issue_cycles = 0.25 gives the clocks of an instruction, where 12 warps do not hide its latency.
-- Measures: latency, throughput.
-- Covered by tests/runtime/mwp_cwp_test.cpp.

local pick = use "parts/select"
local rows = use "parts/mwp_cwp_rows"

local M = {}

local LEAST_SMS = 4  -- that tell a bandwidth from an SM's own delay
local WIDEST = 0.3   -- of a value: an interval that reaches further decides nothing

local OFF, COALESCED, UNCOALESCED, WIDE, WIDE_OFF = 0, 1, 2, 3, 4

local function find(points, benchmark, pattern, columns)
  for _, row in ipairs(points) do
    if row[columns.benchmark] == benchmark and row[columns.pattern] == pattern then return row end
  end
end

local function too_wide(value, reach)
  return string.format("the micro-benchmarks are too noisy: %.1f clocks ±%.1f; caches or " ..
                       "another law than the model's", value, reach)
end

local function memory_insts(row) return row.coal_mem_insts + row.uncoal_mem_insts end

-- Clocks that the loads of a pattern add, against their number.
local function added(points, pattern, columns)
  local result = {}
  for _, row in ipairs(points) do
    local off = find(points, row[columns.benchmark], pattern == WIDE and WIDE_OFF or OFF, columns)
    if row[columns.pattern] == pattern and off then
      local loads = memory_insts(row) - memory_insts(off)
      if loads > 0 then
        result[#result + 1] = { x = loads, y = row.clocks - off.clocks, n = 1, range = 0 }
      end
    end
  end
  return result
end

-- The clocks of one load: a line through the points. A load that is off still takes its issue slot,
-- and the addition behind it need not wait: that much less is added.
local function latency_of(points, pattern, columns, issue)
  local at = added(points, pattern, columns)
  if #at < 3 then return { why = "fewer than three benchmarks with loads" } end
  local x, y = {}, {}
  for i, point in ipairs(at) do x[i], y[i] = point.x, point.y end
  local line = fit_line(x, y, 0.99)
  -- A clock more or less at each end of a launch, over all its loads.
  local grain = 2 / (stats.max(x) - stats.min(x))
  return { value = line.slope + issue, low = line.slope_low + issue - grain,
           high = line.slope_high + issue + grain, count = #at }
end

-- Clocks of an instruction, from the benchmark without loads on full SMs.
local function issue_cycles(points, columns)
  local row = find(points, 1, OFF, columns) or find(points, 1, COALESCED, columns)
  if not row then error("the micro-benchmarks lack benchmark 1", 0) end
  local warps = row.warps_per_block * math.ceil(row.blocks / row.active_sms)
  return row.clocks / (warps * (row.comp_insts + memory_insts(row))), row
end

-- Clocks of an instruction of a warp alone that waits for the one before: what more of them add, from
-- benchmark 2 to 3 and from 4 to 5, which differ in nothing else.
local function report_instruction_latency(points, columns)
  local name, slopes = "model.instruction_latency", {}
  for _, pair in ipairs { { 2, 3 }, { 4, 5 } } do
    local few, many = find(points, pair[1], OFF, columns), find(points, pair[2], OFF, columns)
    local more = few and many and many.comp_insts - few.comp_insts or 0
    if more > 0 then slopes[#slopes + 1] = (many.clocks - few.clocks) / more end
  end
  if #slopes < 2 then return pick.inconclusive(name, "clocks", "benchmarks 2 to 5 are not all there") end
  local value, reach = (slopes[1] + slopes[2]) / 2, math.abs(slopes[1] - slopes[2])
  if value <= 0 or reach > WIDEST * value then
    return pick.inconclusive(name, "clocks", too_wide(value, reach))
  end
  finding { name = name, value = value, unit = "clocks", low = value - reach, high = value + reach,
            note = "of a warp alone, one waiting for the other, from two pairs of micro-benchmarks" }
end

-- Transactions of a warp's load, on average over those that the pattern adds.
local function transactions(points, pattern, columns)
  local counts = {}
  for _, row in ipairs(points) do
    local base = find(points, row[columns.benchmark], COALESCED, columns)
    if row[columns.pattern] == pattern and base and row[columns.benchmark] > 1 then
      if pattern == UNCOALESCED then
        if row.uncoal_mem_insts == 0 then return nil end
        counts[#counts + 1] = row.uncoal_per_mw
      else
        counts[#counts + 1] = row.load_bytes_per_warp / base.load_bytes_per_warp
      end
    end
  end
  if #counts == 0 then return nil end
  return math.floor(stats.median(counts) + 0.5)
end

-- Clocks from one transaction of an SM to the next where all SMs are full, and how many SMs; nil where
-- it is computation that takes the time.
local function spacing(points, pattern, columns)
  local row = find(points, 7, pattern, columns)
  local off = find(points, 7, pattern == WIDE and WIDE_OFF or OFF, columns)
  if not row or not off or row.clocks < 1.1 * off.clocks then return nil end
  local of_a_warp = row.coal_mem_insts * row.coal_per_mw + row.uncoal_mem_insts * row.uncoal_per_mw
  local warps = row.warps_per_block * math.ceil(row.blocks / row.active_sms)
  return { clocks = row.clocks / (warps * of_a_warp), sms = row.active_sms }
end

-- Whether what one SM alone shows is the memory's bandwidth, of which it then has all: S SMs at once
-- wait S times as long. `value`: of one delay, known to a clock over `count - 1` of them.
local function is_bandwidth(full, value, count)
  if not full or full.sms < LEAST_SMS then return false end
  local of_one = full.clocks / full.sms
  return of_one >= 0.98 * (value - 1 / (count - 1)) and of_one <= 1.03 * value
end

local function departure(name, one, base, count, full, what)
  local function none(why) pick.inconclusive(name, "clocks", why) end
  if one.why or base.why then return none(one.why or base.why) end
  if not count or count < 2 then return none("the pattern makes no more transactions than one") end
  local value = (one.value - base.value) / (count - 1)
  local reach = math.sqrt((one.high - one.low) ^ 2 + (base.high - base.low) ^ 2) / 2 / (count - 1)
  if value - reach <= 0 then
    return none(string.format("a load of %d transactions takes %.1f clocks, of one %.1f: no delay " ..
                              "shows", count, one.value, base.value))
  end
  if reach > WIDEST * value then return none(too_wide(value, reach)) end
  if is_bandwidth(full, value, count) then
    return none(string.format("one SM alone has a transaction every %.2f clocks, each of %d SMs " ..
                              "every %.1f: that is the memory's bandwidth, and the delay is that " ..
                              "or less", value, full.sms, full.clocks))
  end
  finding { name = name, value = value, unit = "clocks", low = value - reach, high = value + reach,
            confidence = 0.99,
            note = string.format("%s: %d transactions take %.1f clocks, one takes %.1f", what, count,
                                 one.value, base.value) }
  return value
end

local function report_latency(line)
  local reach = not line.why and math.max(line.high - line.value, line.value - line.low)
  local why = line.why or reach > WIDEST * line.value and too_wide(line.value, reach)
  if why then return pick.inconclusive("model.mem_ld", "clocks", why) end
  finding { name = "model.mem_ld", value = line.value, unit = "clocks", low = line.low,
            high = line.high, confidence = 0.99,
            note = string.format("least squares over %d micro-benchmarks of one warp, coalesced",
                                 line.count) }
end

-- Bytes a second of the benchmark that reads and writes the most.
local function most_read(points, device)
  local most = 0
  for _, row in ipairs(points) do
    local bytes = memory_insts(row) * row.load_bytes_per_warp * row.warps_per_block * row.blocks
    most = math.max(most, bytes / row.clocks * device.clock_hz)
  end
  return most
end

-- The model with what was fitted, against full SMs: loads off is no benchmark of the paper.
local function report_error(input, points, machine, columns)
  local some = {}
  for _, row in ipairs(points) do
    local pattern = row[columns.pattern]
    if pattern == COALESCED or pattern == UNCOALESCED then some[#some + 1] = row end
  end
  local judged = rows.judge(some, machine, input.device)
  rows.print_table(input.samples, judged)
  local plain = input.samples:where { measure = "throughput" }
  local geometric, mean, worst = rows.geometric_mean(judged)
  local rate = most_read(points, input.device)
  finding { name = "model.error.worst", value = worst.error,
            note = "of CPI, on " .. rows.key(plain, worst.row) }
  finding { name = "model.error.micro", value = geometric,
            note = string.format("geometric mean of the absolute error of CPI over %d " ..
                                 "micro-benchmarks; mean %.1f %%, worst %+.1f %% (%s); the most that " ..
                                 "was read at a time is %.1f GB/s, given are %.1f", #judged,
                                 100 * mean, 100 * worst.error, rows.key(plain, worst.row),
                                 rate / 1e9, machine.Mem_Bandwidth / 1e9) }
end

function M.run(input)
  pick.only(input, "mwp_cwp_fit", { "benchmark", "pattern", "Mem_Bandwidth", "Issue_cycles" })
  local columns = { benchmark = pick.axis(input, "benchmark", "benchmark = benchmark"),
                    pattern = pick.axis(input, "pattern", "pattern = pattern") }
  local bandwidth = input.args.Mem_Bandwidth
  if type(bandwidth) ~= "number" or bandwidth <= 0 then
    error("the argument Mem_Bandwidth must be the memory's bandwidth in B/s", 0)
  end
  pick.need(input.samples, "measure", "have the measures latency and throughput")
  local one = rows.points(input, pick.measure(input.samples, "latency"))
  local full = rows.points(input, pick.measure(input.samples, "throughput"))
  local issue, row = issue_cycles(full, columns)
  issue = input.args.Issue_cycles or issue
  finding { name = "model.issue_cycles", value = issue, unit = "clocks",
            note = input.args.Issue_cycles and "given" or
                   string.format("clocks of an instruction of a warp, from %g instructions of %g " ..
                                 "warps", row.comp_insts + memory_insts(row),
                                 row.warps_per_block * row.active_blocks_per_sm) }
  report_instruction_latency(one, columns)
  local coalesced = latency_of(one, COALESCED, columns, issue)
  report_latency(coalesced)
  local uncoal = departure("model.departure_uncoal", latency_of(one, UNCOALESCED, columns, issue),
                           coalesced, transactions(one, UNCOALESCED, columns),
                           spacing(full, UNCOALESCED, columns), "uncoalesced loads")
  local coal = departure("model.departure_coal", latency_of(one, WIDE, columns, issue), coalesced,
                         transactions(one, WIDE, columns), spacing(full, WIDE, columns),
                         "coalesced loads of four words a lane")
  if coalesced.why then
    return pick.inconclusive("model.error.micro", nil, "the fit lacks the memory's latency")
  end
  -- A delay that does not show is none.
  report_error(input, full, { Mem_LD = coalesced.value, Departure_del_uncoal = uncoal or 0,
                              Departure_del_coal = coal or 0, Mem_Bandwidth = bandwidth,
                              Issue_cycles = issue }, columns)
end

return M
