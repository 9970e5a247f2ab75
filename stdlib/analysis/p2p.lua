-- p2p(size = size, count = n, bytes = bytes, key = width, as = "width", at = at): what a load of another GPU's
--     memory takes, by footprint, or the bytes that are moved there in a second or a clock.
--
-- The name of a measure is a space and what is done there: "peer_cg" (the cache operator of a chase),
-- "peer_read". Both parts are keys. A measure of "global" beside it is the same in the GPU's own memory.
--   size   alone: the axis of the bytes that a chase goes round. Its average latency, the addition that
--          makes an address included. Where both spaces have a size, what the peer's takes more: there
--          the addition cancels
--   count  the axis of accesses a thread: what one more adds is read from the slope, so that launches and
--          the way to memory, which do not grow with it, cancel. Bytes a second where time is observed,
--          else bytes a clock of one block
--   key    a further axis, a key of the findings; `as` is what it is called there
--   at     an axis of places (an `offset`), whose samples count as repetitions
-- Covered by tests/runtime/inference_p2p_test.cpp.

local moved = use "parts/moved"
local pick = use "parts/select"
local sm_clock = use "parts/sm_clock"

local M = {}

local SURE = 3      -- standard errors of a mean or a median: 99.7 % of intervals hold it
local WIDE = 0.05   -- of the latency, an interval's width: else it is no number

-- "peer_cg": "peer", "cg".
local function parts_of(measure)
  local space, what = string.match(measure, "^(%a+)_(%w+)$")
  if not space then
    error(string.format("the measure '%s' must be named by a space and what is done there: peer_read",
                        measure), 0)
  end
  return space, what
end

-- The interval of the median of sorted values: between the ranks that lie SURE standard errors (half the root of the
-- count) off the middle one, whatever the distribution. Of few repetitions it is from the fastest to the slowest.
local function median_interval(values)
  table.sort(values)
  local rank = math.max(1, math.floor((#values - SURE * math.sqrt(#values)) / 2))
  return values[rank], values[#values + 1 - rank]
end

-- { value, low, high } of a latency, from its repetitions, or { why }.
local function latency_of(input, samples)
  local values = {}
  for _, value in ipairs(samples:column("latency")) do
    if value == value then values[#values + 1] = value end
  end
  if #values < 2 then return { why = string.format("%d repetitions; 2 are needed", #values) } end
  local out = { value = stats[input.reduce](values) }
  if input.reduce == "mean" then
    local error = SURE * math.sqrt(stats.variance(values) / #values)
    out.low, out.high = out.value - error, out.value + error
  elseif input.reduce == "median" then
    out.low, out.high = median_interval(values)
  else
    out.low, out.high = stats.min(values), stats.max(values)
  end
  if out.high - out.low > WIDE * out.value then
    out.why = string.format("too noisy: the %s of %d repetitions is from %.1f to %.1f clocks", input.reduce, #values,
                            out.low, out.high)
  end
  return out
end

local function report_latency(name, latency, note)
  if latency.why then return pick.inconclusive(name, "clocks", latency.why) end
  finding { name = name, unit = "clocks", value = latency.value, low = latency.low, high = latency.high,
            note = note }
end

local function difference(far, near)
  if far.why or near.why then return { why = far.why or near.why } end
  return { value = far.value - near.value, low = far.low - near.high, high = far.high - near.low }
end

local function latencies(input)
  local size = pick.axis(input, "size", "size = size")
  pick.no_other_axes(input, "p2p", { size })
  pick.need(input.samples, "latency", "observe average")
  local known = {}
  for _, group in ipairs(input.samples:having("latency"):group("measure", size)) do
    local space, operator = parts_of(group.key.measure)
    local keys = string.format("cache=%s,bytes=%d", operator, group.key[size])
    local latency = latency_of(input, group.samples)
    known[space] = known[space] or {}
    known[space][keys] = latency
    report_latency(string.format("p2p.latency[space=%s,%s]", space, keys), latency,
                   string.format("the average of a chase that goes round all of it, the %s of %d repetitions",
                                 input.reduce, #group.samples))
  end
  for _, group in ipairs(input.samples:having("latency"):group("measure", size)) do
    local space, operator = parts_of(group.key.measure)
    local keys = string.format("cache=%s,bytes=%d", operator, group.key[size])
    local near = known.global and known.global[keys]
    if space == "peer" and near then
      report_latency("p2p.over_own[" .. keys .. "]", difference(known.peer[keys], near),
                     "minus that of as many bytes of the GPU's own memory")
    end
  end
end

local function bandwidths(input)
  local count = pick.axis(input, "count", "count = n")
  local key = input.args.key and pick.axis(input, "key", "key = width")
  local known = { count, key }
  if input.args.at then known[#known + 1] = pick.axis(input, "at", "at = at") end
  pick.no_other_axes(input, "p2p", known)
  pick.need(input.samples, "bytes", "name bytes: p2p(count = n, bytes = bytes)")
  if not moved.timed(input.samples) then pick.need(input.samples, "latency", "observe latency or time") end
  local by = key and { "measure", key } or { "measure" }
  for _, group in ipairs(input.samples:having("bytes"):group(table.unpack(by))) do
    local space, op = parts_of(group.key.measure)
    local more = key and string.format(",%s=%d", pick.text(input, "as", key), group.key[key]) or ""
    local block = moved.timed(group.samples) and "" or ",of=sm"
    moved.report(input, string.format("p2p.bandwidth[space=%s,op=%s%s%s]", space, op, more, block),
                 group.samples, count, "bytes")
  end
end

function M.run(input)
  pick.only(input, "p2p", { "size", "count", "bytes", "key", "as", "at" })
  pick.need(input.samples, "measure", "have measures such as peer_read")
  if input.args.size then
    latencies(input)
    return sm_clock.report("p2p.clock", input.device)
  end
  bandwidths(input)
end

return M
