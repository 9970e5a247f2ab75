-- shared_banks(words = words, count = count, conflict = "conflict", broadcast = "broadcast"): banks of
-- shared memory from the latency of a warp's loads against the stride of its lanes.
--
-- Every way in which words can lie in banks (their number, the bytes of a bank's row, the bytes in one
-- bank before the next begins, the lanes that are served together) predicts how many passes each
-- stride takes. Those are kept for which the latency is one straight line of the passes; what all
-- that are left agree on is concluded.
-- Arguments that name measures: conflict, broadcast.
-- Arguments that must be given: words, count.
-- Arguments that need 4 values: count.
-- Covered by tests/experiments/memory_planted_test.cpp.

local line = use "parts/line"
local pick = use "parts/select"
local M = {}

local WIDTHS, MOST_BANKS = { 4, 8, 16 }, 64
local SPAN = 4   -- bytes that a lane loads
local OF_PASSES = 0.03   -- of what a stride's passes take, that its latency may lie off the line

local told = {}       -- The steps to every finding of a run but the latency...
local rests_on = {}   -- ...and the points of all strides.

local function say(one)
  one.steps, one.evidence = told, one.evidence or rests_on
  finding(one)
end

local function say_open(name, unit, note) pick.inconclusive(name, unit, note, rests_on, told) end

local function tell(text, ...) told[#told + 1] = string.format(text, ...) end

-- The clocks of one load of a measure at each stride, in words: { stride, clocks, error, rests_on }.
local function latencies(input, samples, measure, words, count)
  local out = {}
  for _, group in ipairs(pick.measure(samples, measure):group(words)) do
    local fit = line.of(input, group.samples, count, "load")
    if fit.why then return nil, string.format("stride %g: %s", group.key[words], fit.why) end
    out[#out + 1] = { stride = group.key[words], clocks = fit.slope,
                      error = math.max(fit.slope - fit.low, fit.high - fit.slope),
                      rests_on = { { measure = measure, [words] = group.key[words] } } }
  end
  table.sort(out, function(a, b) return a.stride < b.stride end)
  return out
end

-- Passes after the first that the lanes of a warp take whose words lie `stride` words apart.
local function further(h, stride)
  local total, apart = 0, stride * SPAN
  local banks, word, row_bytes = h.banks, h.word, h.banks * h.width
  for group = 0, h.warp - 1, h.lanes do
    local seen, rows, most = {}, {}, 1   -- places, a bank's row each; rows of each bank
    for lane = group, group + h.lanes - 1 do
      local address = lane * apart
      local bank = address // word % banks
      local place = address // row_bytes * banks + bank
      if not seen[place] then
        local count = (rows[bank] or 0) + 1
        seen[place], rows[bank] = true, count
        if count > most then most = count end
      end
    end
    total = total + most - 1
  end
  return total
end

-- The passes of each stride; nil: more passes than those of another stride take less time, as on no line.
-- explains() tests what is left; most are out after few strides.
local function passes_of(h, points, noise, off_the_line)
  local passes = {}
  for i, point in ipairs(points) do
    local own = further(h, point.stride)
    for k = 1, i - 1 do
      local other = points[k]
      local over = other.clocks - point.clocks
      local error = 2 * (noise + point.error + other.error) + off_the_line
      if passes[k] <= own and over > error or passes[k] >= own and -over > error then return nil end
    end
    passes[i] = own
  end
  return passes
end

-- Those that are not out at once; how many there are. `range`: clocks between the fastest stride and the slowest.
local function hypotheses(points, warp, noise, range)
  local left, count = {}, 0
  -- Of two strides each may lie OF_PASSES of its passes off the line, which take as long as the range, or noise more.
  local off_the_line = 2 * 1.5 * OF_PASSES * (range + noise)
  for banks = 2, MOST_BANKS do
    for _, width in ipairs(WIDTHS) do
      for _, word in ipairs(WIDTHS) do
        for _, lanes in ipairs { warp, warp // 2, warp // 4 } do
          if word <= width then
            local h = { banks = banks, width = width, word = word, lanes = lanes, warp = warp }
            h.passes = passes_of(h, points, noise, off_the_line)
            count, left[#left + 1] = count + 1, h.passes and h
          end
        end
      end
    end
  end
  return left, count
end

-- Strides of as many passes take as long, those of more take longer in proportion. Sets the line of
-- the passes; false: the latencies contradict the hypothesis.
local function explains(h, points, noise)
  local base = {}
  for i, point in ipairs(points) do
    if h.passes[i] == 0 then base[#base + 1] = point.clocks end
  end
  if #base == 0 then return false end
  h.latency = stats.median(base)
  local slopes = {}
  for i, point in ipairs(points) do
    if h.passes[i] > 0 then slopes[#slopes + 1] = (point.clocks - h.latency) / h.passes[i] end
  end
  if #slopes == 0 then return false end
  h.pass = stats.median(slopes)
  for i, point in ipairs(points) do
    local off = math.abs(point.clocks - h.latency - h.pass * h.passes[i])
    if off > noise + 2 * point.error + OF_PASSES * h.pass * h.passes[i] then return false end
  end
  return h.pass > noise / 2
end

-- The value that all hypotheses share under a name; nil and those that there are.
local function agreed(left, name)
  local seen, texts = {}, {}
  for _, h in ipairs(left) do
    if not seen[h[name]] then seen[h[name]], texts[#texts + 1] = true, string.format("%g", h[name]) end
  end
  if #texts == 1 then return left[1][name] end
  return nil, table.concat(texts, " or ")
end

local function conclude(name, value, others, unit, note)
  if not value then
    return say_open(name, unit, "the latencies of all strides fit " .. others)
  end
  say { name = name, value = value, low = value, high = value, unit = unit, note = note }
end

local EVERYTHING = { ["shared.banks"] = false, ["shared.bank_width"] = "B", ["shared.conflict"] = "clocks" }

local function nothing(verdict, note)
  for name, unit in pairs(EVERYTHING) do
    say { name = name, verdict = verdict, unit = unit or nil, note = note }
  end
end

local function clocks(name, point, note)
  say { name = name, value = point.clocks, low = point.clocks - point.error,
            high = point.clocks + point.error, unit = "clocks", note = note, evidence = point.rests_on }
end

-- The latency without a conflict, of each stride, and of each number of ways that was seen.
local function report_latencies(points, h)
  local seen = {}
  for i, point in ipairs(points) do
    local ways = h and h.passes[i] * h.lanes // h.warp + 1
    clocks(string.format("shared.conflict[stride=%.15g]", point.stride), point,
           ways and string.format("%d-way", ways))
    if ways and not seen[ways] then
      seen[ways] = true
      clocks(string.format("shared.conflict[ways=%d]", ways), point,
             string.format("words %g apart", point.stride))
    end
  end
end

local function report_structure(points, noise, warp, range)
  local left, all, count = {}, hypotheses(points, warp, noise, range)
  for _, h in ipairs(all) do
    if explains(h, points, noise) then left[#left + 1] = h end
  end
  tell("%d arrangements of words in banks: %d predict passes on which all latencies lie in one line", count, #left)
  if #left == 0 then
    nothing("inconclusive", "no arrangement of words in banks explains the latencies of all strides")
    return nil
  end
  local banks, other_banks = agreed(left, "banks")
  local width, other_widths = agreed(left, "width")
  conclude("shared.banks", banks, other_banks, nil, "that one row each serves a warp at once")
  conclude("shared.bank_width", width, other_widths, "B", "bytes of one row of a bank")
  local word, other_words = agreed(left, "word")
  conclude("shared.bank_word", word, other_words, "B", "bytes in one bank before the next begins")
  local lanes, other_lanes = agreed(left, "lanes")
  conclude("shared.lanes_at_once", lanes, other_lanes, nil, "lanes that cannot be in conflict with others")
  local pass, other_passes = agreed(left, "pass")
  if pass then
    say { name = "shared.conflict", value = pass, unit = "clocks", low = pass - noise,
              high = pass + noise,
              note = lanes == warp and "for each further way"
                or lanes and string.format("for each further way of %d lanes: %d times as much for a warp", lanes, warp // lanes)
                or "for each further pass" }
  else
    say_open("shared.conflict", "clocks", "a further way takes " .. other_passes)
  end
  return left[1]
end

function M.run(input)
  pick.only(input, "shared_banks", { "words", "count", "conflict", "broadcast" })
  local words, count = pick.axis(input, "words", "words"), pick.axis(input, "count", "count")
  pick.no_other_axes(input, "shared_banks", { words, count })
  local samples = input.samples:having("latency")
  local name = pick.text(input, "broadcast", "broadcast")
  pick.need(input.samples, "measure", "have two measures: one of loads by stride, and '" .. name .. "', in which all lanes load one word")
  local points, why = latencies(input, samples, pick.text(input, "conflict", "conflict"), words, count)
  told, rests_on = {}, {}
  for i, point in ipairs(points or {}) do rests_on[i] = point.rests_on[1] end
  if not points then return nothing("inconclusive", why) end
  tell("the clocks of a load at each of %d strides: the slope of the latency over %s", #points, count)
  local alone = line.of(input, pick.measure(samples, name), count, "load")
  pick.slope("shared.latency", "clocks", alone, nil, "all lanes load one word; each load waits for the one before it")
  if alone.why then return nothing("inconclusive", alone.why) end
  local lowest, highest, error = math.huge, 0, 0
  for _, point in ipairs(points) do
    lowest, highest = math.min(lowest, point.clocks), math.max(highest, point.clocks)
    error = math.max(error, point.error)
  end
  local noise = math.max(0.5, 2 * error)
  if highest - lowest <= 2 * noise then
    report_latencies(points, nil)
    return nothing("not_observed", string.format("all strides take %.1f to %.1f clocks", lowest, highest))
  end
  local h = report_structure(points, noise, math.tointeger(input.device.warp_size), highest - lowest)
  report_latencies(points, h)
end

return M
