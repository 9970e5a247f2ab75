-- reach(cache = "cg", address = "address", count = count, most = bytes): how many bytes each level of a
-- memory hierarchy answers by itself, and in how many clocks on average.
--
-- One thread chases lists of lines in random order, each at rest; of large ones a part (parts/pointers.lua).
-- Their average latency stays on a plateau as long as one level answers all of them, and leaves it where that level is full: no
-- assumption is made about sets, their function or a policy, and none about what a level is (a cache, its
-- near or far part, a translation buffer).
-- Arguments that name measures: address.
-- Covered by tests/runtime/inference_reach_test.cpp and tests/experiments/memory_planted_test.cpp.

local chased = use "parts/chased"
local lists = use "parts/lists"
local pick = use "parts/select"
local pointers = use "parts/pointers"
local reported = use "parts/report"
local ledger = use "parts/steps"
local M = {}

local LINE = pointers.LINE
local FIRST = 2048            -- the shortest list, bytes
local SAME, CLOCK = 0.002, 0.25   -- latencies of one plateau differ by less than a share, or by clocks
local APPROACH = 0.02         -- by which levels differ, at least
local WIDE = 1.25             -- what a plateau's ends differ by: of a narrower one it is asked whether it is on the
                              -- way to one. The far half of an H100's L2 answers 38 to 47 MB or 39 to 50 MB
local CLEAR = 4               -- times what latencies of one plateau differ by: so far from a narrow one are lists
                              -- shorter and longer by WIDE. On the way to one it is 2.6 times at most on one side
                              -- (ln 1.25 / ln 2^(1/8)), as slopes there only fall or only grow
local LATER = 0.05            -- of the accesses, that the next level answers for certain: sets overflow one by one, and
                              -- which ones do depends on where an array lies (22.4 to 24 MB on one H100)
local FULL = 4                -- sizes below the last one of a plateau: half of it, which no set overflows yet
local NEAR = 1.05             -- sizes that differ by less are not both asked about
local FINE = 32               -- a plateau's end is found to this part of its reach
local ISSUE = 1               -- clocks that the load itself may take before its latency begins
local ACCESSES = 16384        -- at least, of a measurement
local SETTLED = 8 << 20       -- from so many bytes on a list is gone round once before it counts
local PART = 1 << 17          -- lines of a large working set whose loads are timed
local SEED = 17               -- of the order of its lines

-- `count` lines, each once, in an order that neither a stream nor a row of DRAM follows.
local function shuffled(count)
  local list = {}
  for i = 1, count do list[i] = (i - 1) * LINE end
  return lists.shuffle(list)
end

-- measure(bytes): the average latency of such a list, asked once for each size. scatter: by how much
-- lines of one level differ, because some lie farther away than others.
local function curve_of(operator, most, device)
  local known, before = {}, ledger.now()
  local function chase(count, warm, passes, average)
    return probe.chase { space = "global", cache = operator, bytes = most, offsets = shuffled(count),
                         warm = warm, passes = passes, average = average }
  end
  -- Links that are addresses, which a kernel puts into an order. Of many lines the part is followed that was loaded
  -- longest ago: to follow all of them would take seconds.
  local function by_pointers(bytes)
    local count = bytes // LINE
    local part = math.min(count, PART)
    return pointers.clocks(device, { operator = operator, most = most, count = count, part = part, seed = SEED,
                                     sweeps = bytes < SETTLED and 2 or 1, warm = part == count and part or 0,
                                     loads = part * math.max(1, ACCESSES // part) })
  end
  local function measure(bytes)
    if not known[bytes] then
      local count = bytes // LINE
      known[bytes] = pointers.possible(device) and by_pointers(bytes)
        or chase(count, bytes < SETTLED and 2 or 1, math.max(1, ACCESSES // count), true)[1]
    end
    return known[bytes]
  end
  local each = chase(math.min(64, most // LINE), 2, 8, false)
  local function slowest()
    local most_clocks = 0
    for _, latency in pairs(known) do most_clocks = math.max(most_clocks, latency) end
    return most_clocks
  end
  local function probes()
    return { ledger.since(before, "mean latency of lists of lines in random order", "bytes", "clocks", ledger.points(known)) }
  end
  return { measure = measure, slowest = slowest, probes = probes, scatter = math.sqrt(stats.variance(each)) }
end

-- What two averages of one level may differ by, of lists of so many bytes or more.
local function tolerance(curve, latency, bytes)
  return math.max(CLOCK, SAME * latency, 4 * curve.scatter / math.sqrt(math.min(PART, bytes / LINE)))
end

local function same(curve, a, b, bytes)
  return math.abs(a - b) <= tolerance(curve, math.min(a, b), bytes)
end

-- A size between two others, a multiple of a line.
local function between(low, high) return math.floor(math.sqrt(low * high) / LINE + 0.5) * LINE end

-- Four to an octave; the last one is `most`.
local function sizes_to(most)
  local out, size = {}, FIRST
  while size * NEAR < most do
    out[#out + 1] = size
    size = math.floor(size * 2 ^ 0.25 / LINE + 0.5) * LINE
  end
  out[#out + 1] = most // LINE * LINE
  return out
end

-- Whether lists well below `low` bytes have a clearly lower latency, and lists well above `high` a higher one.
local function clear(curve, latency, low, high, most)
  local below, above = low / WIDE // LINE * LINE, high * WIDE // LINE * LINE
  if below < FIRST or above > most then return false end
  local step = CLEAR * tolerance(curve, latency, low)
  return curve.measure(above) >= latency + step and curve.measure(below) <= latency - step
end

-- The plateau of one size alone, whose neighbours are on none with it, by the sizes between them; nil: there is none.
local function alone(curve, sizes, i)
  local size, most = sizes[i], sizes[#sizes]
  if i == 1 or i == #sizes then return nil end
  local latency, low, high = curve.measure(size), between(sizes[i - 1], size), between(size, sizes[i + 1])
  if not same(curve, curve.measure(low), latency, low) then low = size end
  if not same(curve, curve.measure(high), latency, size) then high = size end
  if low == high or not clear(curve, latency, low, high, most) then return nil end
  return { low = low, high = high, latency = latency, middle = size, many = latency }
end

-- Neighbouring sizes of one latency: three at least. Between two that are alike, one more is asked.
local function plateaus(curve, sizes)
  local out, from = {}, 1
  local function close(to)
    if to == from then
      out[#out + 1] = alone(curve, sizes, from)
      return
    end
    local middle = to - from > 1 and sizes[(from + to) // 2] or between(sizes[from], sizes[to])
    local latency = curve.measure(middle)
    if not same(curve, latency, curve.measure(sizes[from]), sizes[from]) then return end
    out[#out + 1] = { low = sizes[from], high = sizes[to], latency = latency, middle = middle,
                      many = curve.measure(sizes[math.max((from + to) // 2, to - FULL)]) }
  end
  for i = 2, #sizes do
    if not same(curve, curve.measure(sizes[from]), curve.measure(sizes[i]), sizes[from]) then
      close(i - 1)
      from = i
    end
  end
  close(#sizes)
  return out
end

-- An end of a plateau, between a size that is on it and one that is not: two such sizes next to each other.
local function edge(curve, plateau, inside, outside)
  while math.abs(outside - inside) > math.max(LINE, math.min(inside, outside) // FINE) do
    local middle = (inside + outside) // 2 // LINE * LINE
    if same(curve, curve.measure(middle), plateau.latency, plateau.middle) then
      inside = middle
    else
      outside = middle
    end
  end
  return inside, outside
end

-- Where lines leave at random, the share of those that are still there falls slowly: stretches on the
-- way to a plateau look like one. Of neighbours that differ little the last one is it; one that is faster
-- than one before it is a disturbance.
local function rising(found)
  local out = {}
  for _, plateau in ipairs(found) do
    local last = out[#out]
    if last and math.abs(plateau.latency - last.latency) <= APPROACH * last.latency then
      out[#out] = plateau
    elseif not last or plateau.latency > last.latency then
      out[#out + 1] = plateau
    end
  end
  return out
end

-- The share of a list that the next level may answer without being seen in the average.
local function hidden(curve, plateau)
  local step = curve.slowest() - plateau.latency
  return math.min(0.5, tolerance(curve, plateau.latency, plateau.middle) / step)
end

-- A size from `outside` on of which the next level, of `latency` or more, answers a part for certain.
local function overflown(curve, plateau, outside, sizes, latency)
  local limit = plateau.latency + LATER * (latency - plateau.latency)
  local low, high = outside, nil
  for _, size in ipairs(sizes) do
    if size >= outside and not high then
      if curve.measure(size) > limit then high = size else low = size end
    end
  end
  if curve.measure(outside) > limit or not high then return outside end
  while high - low > math.max(LINE, low // FINE) do
    local middle = (low + high) // 2 // LINE * LINE
    if curve.measure(middle) > limit then high = middle else low = middle end
  end
  return high
end

-- The plateaus that are wide enough, with `inside` and `outside`, the sizes between which each begins to end, and
-- `overflown`, where it has; the last one may have no end.
local function wide(curve, found, sizes)
  local out = {}
  for _, plateau in ipairs(found) do
    local outside, before
    for k = #sizes, 1, -1 do
      if sizes[k] > plateau.high then outside = sizes[k] end
      if sizes[k] < plateau.low then before = before or sizes[k] end
    end
    plateau.inside = plateau.high
    if outside then plateau.inside, plateau.outside = edge(curve, plateau, plateau.high, outside) end
    -- A short one begins between two sizes that were asked about: the far half of an H200's L2 answers 44.9 to 57 MB.
    if before and plateau.inside < WIDE * plateau.low then plateau.low = edge(curve, plateau, plateau.low, before) end
    if plateau.inside >= WIDE * plateau.low
       or clear(curve, plateau.latency, plateau.low, plateau.inside, sizes[#sizes]) then
      out[#out + 1] = plateau
    end
  end
  for i, plateau in ipairs(out) do
    if plateau.outside then
      local next_latency = out[i + 1] and out[i + 1].latency or curve.slowest()
      plateau.overflown = overflown(curve, plateau, plateau.outside, sizes, next_latency)
    end
  end
  return out
end

local function report(curve, name, plateau, address)
  local error = address.error + tolerance(curve, plateau.latency, plateau.middle)
  local latency = plateau.many - address.clocks   -- of many lines: slices lie at different distances
  finding { name = name .. "latency", value = latency, unit = "clocks",
            low = latency - error - ISSUE, high = latency + error, probes = curve.probes(),
            note = string.format("the average over lists of %s to %s; %s", reported.size(plateau.low),
                                 reported.size(plateau.inside), address.note) }
  if not plateau.outside then
    finding { name = name .. "reach", verdict = "not_observed", unit = "B", probes = curve.probes(),
              note = "lists of up to " .. reported.size(plateau.high) .. " take as long" }
    return
  end
  finding { name = name .. "reach", value = plateau.inside, unit = "B", high = plateau.overflown,
            low = plateau.inside * (1 - hidden(curve, plateau)), probes = curve.probes(),
            note = string.format("%s take that time, with %s an access takes %.1f clocks",
                                 reported.size(plateau.inside), reported.size(plateau.outside),
                                 curve.measure(plateau.outside) - address.clocks) }
end

function M.run(input)
  if not probe then error("reach runs chases of its own, which need the device", 0) end
  pick.only(input, "reach", { "cache", "address", "count", "most" })
  local operator = pick.text(input, "cache", "cg")
  local address = pointers.possible(input.device) and { clocks = 0, error = 0, note = "links are addresses" }
    or chased.address(input)
  local limit = math.min(probe.most_bytes("global"), math.floor(input.device.memory_bytes) >> 7)
  local most = math.min(pick.count(input, "most", 96 << 20), limit)
  local curve, sizes = curve_of(operator, most, input.device), sizes_to(most)
  local found = wide(curve, rising(plateaus(curve, sizes)), sizes)
  local prefix = "global." .. operator .. "."
  if #found == 0 then
    return pick.inconclusive(prefix .. "level1.latency", "clocks", "no range of working sets has one latency")
  end
  for i, plateau in ipairs(found) do
    report(curve, string.format("%slevel%d.", prefix, i), plateau, address)
  end
end

return M
