-- Bytes a clock or a second from a slope: what one more access, or one more round, adds.
-- Used by level_bandwidth.lua and p2p.lua. Covered by tests/runtime/inference_bandwidth_test.cpp and
-- inference_p2p_test.cpp.

local lines = use "parts/line"
local pick = use "parts/select"
local report = use "parts/report"

local M = {}

-- Whether the samples have seconds of the whole grid, else clocks of one block.
function M.timed(samples) return samples:has("time") and #samples:having("time") > 0 end

-- What one more of `count` adds to the column `bytes`, which all points must agree on; nil where they do not.
local function step_of(samples, count, bytes)
  local points = lines.points(samples, count, bytes, "median")
  if #points < 2 then return nil end
  local step = (points[2].y - points[1].y) / (points[2].x - points[1].x)
  for i = 2, #points do
    local here = (points[i].y - points[i - 1].y) / (points[i].x - points[i - 1].x)
    if math.abs(here - step) > 1e-9 * math.abs(step) then return nil end
  end
  return step
end

-- The line of clocks over `count`, the bytes that one more moves, and the clocks of a second (1 where the samples are
-- clocks); nil: it does not move as many everywhere.
local function line_of(input, samples, count, bytes)
  local step = step_of(samples, count, bytes)
  if not step then return nil end
  local timed = M.timed(samples)
  local hertz = timed and math.max(input.device.clock_hz, 1) or 1
  local points = lines.points(samples, count, timed and "time" or "latency", input.reduce)
  if timed then lines.in_clocks(points, hertz) end
  return lines.within(points, timed and 0 or lines.step(input.samples), "of " .. count), step, hertz
end

-- Blocks of every point, where they are as many; nil where they are not, or not known.
local function blocks_of(samples)
  local all = samples:has("blocks") and samples:distinct("blocks") or {}
  return #all == 1 and all[1] or nil
end

-- What samples move, in bytes of their clock or a second: { low, high, unit }, or { why } where they have no line.
function M.rate(input, samples, count, bytes)
  local line, step, hertz = line_of(input, samples, count, bytes)
  if not line or line.why then return { why = line and line.why or "they do not move the same bytes everywhere" } end
  return { low = step * hertz / line.high, high = step * hertz / line.low, unit = M.timed(samples) and "B/s" or "B/clk" }
end

-- "4.415 GB/s", "127 B/clk"
local function rate_text(value, unit)
  if unit == "B/s" then return string.format("%.4g GB/s", value / 1e9) end
  return string.format("%.4g %s", value, unit)
end

-- Why one rate shows no level that is faster than the reads around it; nil: it does.
function M.not_above(rate, around)
  local why = rate.why or around.why
  if why then return "nothing shows that this level served the data: " .. why end
  if rate.low > around.high then return nil end
  return string.format("at least %s, reads around this level up to %s: nothing shows that it served the data",
                       rate_text(rate.low, rate.unit), rate_text(around.high, around.unit))
end

-- Why a cache may hold what the samples move; nil: it does not.
local function not_past(past, samples, bytes)
  local least = past and stats.min(samples:column(bytes)) or math.huge
  if least > (past or 0) then return nil end
  return string.format("the %s of a launch may stay in L2, which has %s: move more", report.size(least), report.size(past))
end

---@class Known              what is known of samples besides
---@field addition number?    -- clocks of one more access, at most, in which its value is added
---@field doubt string?       -- why nothing shows that the level served them
---@field past number?        -- bytes that a cache before the level may hold

-- Reports `name`.
---@param known Known?
function M.report(input, name, samples, count, bytes, known)
  local unit = M.timed(samples) and "B/s" or "B/clk"
  known = known or {}
  local addition = known.addition
  local line, step, hertz = line_of(input, samples, count, bytes)
  if not line then
    return pick.inconclusive(name, unit, "one more of " .. count .. " does not move the same number of bytes everywhere")
  end
  local doubt = not_past(known.past, samples, bytes) or not line.why and known.doubt
  if doubt then return pick.inconclusive(name, unit, doubt, nil, lines.steps(line)) end
  local note = string.format("one more of %s moves %.0f B", count, step)
  if bytes == "bytes" then note = note .. ", all accesses of a thread in flight at once" end
  if unit == "B/s" and not line.why and blocks_of(samples) == 1 then
    note = string.format("%s; %.1f B/clk (%.1f to %.1f) at %.2f GHz", note, step / line.slope, step / line.high,
                         step / line.low, hertz * 1e-9)
  end
  note = note .. lines.caveat(line)
  if addition and not line.why then
    line.low = math.max(line.low - addition, line.low / 2)
    line.slope = (line.low + line.high) / 2
    note = string.format("%s and adds its value, which takes up to %.1f of %.1f clocks", note, addition, line.high)
  end
  pick.slope(name, unit, line, function(slope) return step * hertz / slope end, note)
end

return M
