-- instruction_cache(): the caches of code, from the time of one pass through straight code of growing
-- size (Wong 2010, section IV-K).
--
-- A warp goes through the code round and round. While a cache holds all of it, a pass takes its
-- instructions' time. One line more, and the set that it falls into misses all of its lines; one set
-- after the other follows, until everything misses. So the curve rises in as many steps as there are
-- sets, each a line wide, and steeply where the ways are many; after that each line costs one miss. A
-- cache whose misses the next one hides is seen where blocks on other SMs keep the next one busy.
-- Covered by tests/experiments/sharing_planted_test.cpp.

local code_plateaus = use "parts/code_plateaus"
local pick = use "parts/select"
local M = {}

local GRAIN = 8          -- instructions: sizes are multiples of so many
local MOST = 128 << 10   -- bytes of code
local MOST_SETS = 128
local LARGE_WAY = 2048   -- bytes: more than the loop around the code
local CROWD = 3          -- SMs that keep a level busy
local PHASES = 12        -- in which code meets what runs beside
local MOST_SMS = 40      -- that are all asked; of more the first ones and every fourth
local FOLLOWING = 4      -- steps of one miss that must follow those of the sets

-- A curve that asks for what it does not know yet: clocks of a pass by bytes of code.
local function curve_of(unit, pass)
  local known = {}
  return function(bytes)
    bytes = bytes // unit * unit
    if not known[bytes] then known[bytes] = pass(bytes) end
    return known[bytes]
  end
end

local function alone_of(unit)
  return curve_of(unit, function(bytes)
    return stats.median(probe.code { bytes = bytes, sm = 0, warm = 3, ["repeat"] = 3 })
  end)
end

-- How long a miss waits for what runs beside depends on where both are just then, which repeating
-- the same launch does not change: another number of passes before does. Waiting only adds to a
-- pass, in some phases as much as half a step: the lower quartile has little of it, and is no
-- stroke of luck.
local function crowded_of(unit, beside)
  return curve_of(unit, function(bytes)
    local passes = {}
    for phase = 1, PHASES do
      passes[phase] = probe.code { bytes = bytes, sm = 0, warm = 2 + phase, beside = beside }[1]
    end
    return stats.quantile(passes, 0.25)
  end)
end

-- Stretches of the curve over which a byte more costs the same: { from, to, slope }.
local function stretches(clocks, sizes)
  local out = {}
  for i = 2, #sizes do
    local slope = (clocks(sizes[i]) - clocks(sizes[i - 1])) / (sizes[i] - sizes[i - 1])
    local last = out[#out]
    if last and math.abs(slope - last.slope) <= 0.03 * last.slope then
      last.to, last.count = sizes[i], last.count + 1
    else
      out[#out + 1] = { from = sizes[i - 1], to = sizes[i], slope = slope, count = 1 }
    end
  end
  return out
end

-- Where the curve leaves one slope and finds another, steeper one: { before, after }.
local function knees(clocks, sizes)
  local out, before = {}, nil
  for _, each in ipairs(stretches(clocks, sizes)) do
    if each.count >= 2 then
      if before and each.slope > 1.03 * before.slope then
        out[#out + 1] = { before = before, after = each }
      end
      if not before or each.slope >= before.slope then before = each end
    end
  end
  return out
end

local function sizes_up_to(most, unit)
  local out, size = {}, 1024
  while size <= most do
    out[#out + 1] = size // unit * unit
    size = size * 2 ^ 0.25
    size = math.ceil(size / unit) * unit
  end
  return out
end

-- Even steps, so that each holds as many lines as the one before.
local function evenly_up_to(most, unit)
  local out, step = {}, math.max(4, math.ceil(most / 32 / unit)) * unit
  for size = step, most, step do out[#out + 1] = size end
  return out
end

-- How far the curve is from a line before the knee: what lies before this level has steps of its own.
local function wiggle(clocks, knee, unit)
  local to, slope = knee.before.to, knee.before.slope
  local least, most = 0, 0
  for size = math.max(to - 1024, unit), to - unit, unit do
    local off = clocks(size) - clocks(to) - slope * (size - to)
    least, most = math.min(least, off), math.max(most, off)
  end
  return most - least
end

-- The last size that costs no more than its instructions and what lies before.
local function last_whole(clocks, knee, unit, tolerance)
  local from, slope = knee.before.to, knee.before.slope
  local base = clocks(from)
  local low, high = from, knee.after.from
  while high - low > unit do
    local middle = (low + high) // 2 // unit * unit
    if clocks(middle) - base - slope * (middle - from) <= tolerance then low = middle else high = middle end
  end
  return low
end

-- Bytes to the next step of the curve after `from`; nil: none within `most`.
local function next_step(clocks, from, slope, unit, tolerance, most)
  for size = from, from + most, unit do
    if clocks(size + unit) - clocks(size) - slope * unit > tolerance then return size + unit - from end
  end
end

-- The line, from the distances of the first steps, which must be equal. What is missed on the way to the
-- next line shows as lesser ones.
local function line_of(clocks, first, knee, unit)
  local slope, at, line = knee.before.slope, first + unit, nil
  local high = clocks(at) - clocks(first) - slope * unit
  for _ = 1, 3 do
    local step = next_step(clocks, at, slope, unit, high / 2, 4096)
    if not step or (line and step ~= line) then return nil end
    line, at = step, at + step
  end
  return line
end

-- How many of a list are within `off` of a value.
local function near(values, value, off)
  local count = 0
  for _, each in ipairs(values) do
    if math.abs(each - value) <= off then count = count + 1 end
  end
  return count
end

-- What the curve does from `first` on, in misses: `steps` from line to line that are larger than those
-- that follow, the steps `after` them, and how much of each is `between` two steps.
local function profile(clocks, first, line, unit, knee)
  local small, slope = (knee.after.slope - knee.before.slope) * line, knee.before.slope
  local function rise(from, to) return (clocks(to) - clocks(from) - slope * (to - from)) / small end
  local out = { steps = {}, after = {}, between = {} }
  while #out.steps <= MOST_SETS do
    local at = first + #out.steps * line
    local step = rise(at, at + line)
    if step < 1.6 then break end
    out.steps[#out.steps + 1] = step
    out.between[#out.between + 1] = rise(at + unit, at + line)
  end
  for i = 1, FOLLOWING do
    local at = first + (#out.steps + i - 1) * line
    out.after[i] = rise(at, at + line)
  end
  return out
end

-- Whether that is a cache: a set that overflows misses all of its lines, so that the steps are alike but
-- for a few that lines of the loop shorten, they do the same between them, and one miss follows another
-- after them. A curve of another shape has another cause. nil, or why not.
local function other_shape(seen)
  local steps = stats.median(seen.steps)
  local alike, all = near(seen.steps, steps, 0.1 * steps), near(seen.steps, steps, 0.5 * steps)
  if alike * 2 < #seen.steps or all < #seen.steps then
    return string.format("steps of %.1f to %.1f misses", stats.min(seen.steps), stats.max(seen.steps))
  end
  if near(seen.after, 1, 0.1) < FOLLOWING then
    return string.format("%d steps, and then others of %.2f to %.2f misses", #seen.steps,
      stats.min(seen.after), stats.max(seen.after))
  end
  if near(seen.between, stats.median(seen.between), 0.2) * 4 < 3 * (#seen.between - 2) then
    return string.format("%.1f to %.1f misses between one step and the next", stats.min(seen.between),
      stats.max(seen.between))
  end
end

local function unknown(name, what, note)
  for _, each in ipairs(what) do pick.inconclusive(name .. each, nil, note) end
end

-- The geometry of the cache behind a knee: { first, line, sets, ratio, single }, or { why }.
local function geometry(clocks, knee, unit)
  local tolerance = math.max(8, 0.2 * knee.before.slope * unit, 1.5 * wiggle(clocks, knee, unit))
  local first = last_whole(clocks, knee, unit, tolerance)
  local line = line_of(clocks, first, knee, unit)
  if not line then
    return { why = string.format("code of %d B is the last that is fetched for nothing, but the steps after "
      .. "it are not equal", first) }
  end
  local seen = profile(clocks, first, line, unit, knee)
  local sets = #seen.steps
  if sets == 0 or sets > MOST_SETS then
    return { why = "the steps that tell the sets do not end, or there is none" }
  end
  local other = other_shape(seen)
  if other then
    return { why = string.format("from %d B of code on the curve rises otherwise than by sets that "
      .. "overflow one after the other: %s", first, other) }
  end
  -- Between two steps, only what the new line itself costs is added. More than that: lines that are
  -- fetched ahead in pairs look like one of twice the length.
  local alone = 1.05 + 0.2 * knee.before.slope * unit / ((knee.after.slope - knee.before.slope) * line)
  return { first = first, line = line, sets = sets, way = sets * line, ratio = stats.mean(seen.steps),
           single = stats.max { seen.between[1], seen.between[2] or 0 } <= alone }
end

-- The loop around the code has a part of every cache, less than a way of one with large ways: what is
-- left of that one tells how large the part is.
local function overhead_of(found)
  local largest
  for _, each in ipairs(found) do
    if each.way and each.way >= LARGE_WAY and (not largest or each.way > largest.way) then largest = each end
  end
  return largest and math.ceil(largest.first / largest.way) * largest.way - largest.first
end

local function report(name, found, overhead)
  local all = { "capacity", "line", "sets", "ways" }
  if found.why then return unknown(name, all, found.why) end
  if not overhead then
    return unknown(name, all, "no cache of code has ways so large that the part of the loop around the code "
      .. "is known")
  end
  local exact = (found.first + overhead) / found.way
  local ways = math.floor(exact + 0.5)
  if math.abs(exact - ways) > 0.2 or math.abs(found.ratio - 1 - ways) > math.max(1.2, 0.35 * ways) then
    return unknown(name, all, string.format("%d steps of %d B end at %.1f ways, but each costs as much as "
      .. "%.1f misses", found.sets, found.line, exact, found.ratio))
  end
  local note = string.format("from %d B of code on %d steps of %d B, each of %.1f misses", found.first,
    found.sets, found.line, found.ratio)
  finding { name = name .. "capacity", value = found.way * ways, unit = "B", note = note }
  finding { name = name .. "ways", value = ways, note = note }
  if not found.single then
    return unknown(name, { "line", "sets" }, string.format("steps are %d B apart, but the curve rises "
      .. "between them: a step may be of two lines, fetched ahead together", found.line))
  end
  finding { name = name .. "line", value = found.line, unit = "B", note = note }
  finding { name = name .. "sets", value = found.sets, note = note }
end

-- The SMs on which code of the same size displaces what SM 0 runs. An SM is its own company.
local function sharers(knee, unit, count)
  local size = (knee.before.to * 15 // 16) // unit * unit
  local room = (knee.after.slope - knee.before.slope) * size
  local out, asked = { 0 }, 1
  for sm = 1, count - 1 do
    if count <= MOST_SMS or sm < 16 or sm % 4 == 0 then
      asked = asked + 1
      local function beside(bytes)
        return stats.median(probe.code { bytes = size, sm = 0, warm = 4, ["repeat"] = 3,
                                         beside = { { sm = sm, code = bytes } } })
      end
      local risen = beside(size) - beside(16 * unit)
      if risen > 0.25 * room then
        out[#out + 1] = sm
      elseif risen > 0.08 * room then
        return nil, asked, sm
      end
    end
  end
  return out, asked
end

-- What the first level that is seen hides, from a curve where that level is kept busy: "hidden" and
-- its knee; "none", where every size is slower; "unclear", where no size is.
local function before_first(alone, crowded, seen, unit)
  local sizes, last, slower = evenly_up_to(seen.before.to, unit), nil, 0
  local slope = seen.before.slope
  local tolerance = math.max(16, slope * unit)
  for _, size in ipairs(sizes) do
    if crowded(size) - alone(size) > tolerance then
      slower = slower + 1
    elseif slower == 0 then
      last = size
    end
  end
  if slower == 0 then return "unclear" end
  if not last then return "none" end
  if slower < 6 or last == sizes[1] then return "unclear" end
  local x, y = {}, {}
  for k = #sizes - slower // 2, #sizes do
    x[#x + 1], y[#y + 1] = sizes[k], crowded(sizes[k])
  end
  local line = fit_line(x, y)
  local from
  for _, size in ipairs(sizes) do
    if size > last and not from and crowded(size) >= line.intercept + line.slope * size - tolerance then
      from = size
    end
  end
  return "hidden", { before = { from = sizes[1], to = last, slope = slope },
                     after = { from = from, to = sizes[#sizes], slope = line.slope } }
end

local function report_scope(name, list, asked, sm)
  if not list then
    return unknown(name, { "scope" }, string.format("code on SM %d disturbs it less than displacement would, "
      .. "but more than chance", sm))
  end
  local value = #list == 1 and "SM" or #list == asked and "GPU" or "TPC"
  finding { name = name .. "scope", value = value,
            note = string.format("code on SM %s displaces what SM 0 runs, of %d SMs that were tested",
              table.concat(list, ", "), asked) }
end

-- Whom a level is shared by, from the SMs that overflow it together with SM 0. `unseen`: why those are not known.
local function scope_of(shared, unseen, sms)
  if not shared then return nil, unseen end
  local list = { 0 }
  for _, sm in ipairs(shared) do list[#list + 1] = sm end
  local note = string.format("loops of SMs %s overflow it together", table.concat(list, ", "))
  if #shared == 0 then return "SM", "no other SM's loop displaces SM 0's" end
  if #list == sms then return "GPU", "any SM's loop displaces SM 0's" end
  return #list == 2 and "TPC" or string.format("%d SMs", #list), note
end

-- Where instructions have 16 bytes (since 2017) code is fetched ahead: lines and sets do not show, plateaus do.
local function by_plateaus(device)
  local found = code_plateaus.find(device)
  for i, each in ipairs(found) do
    local name = string.format("inst.l%d.", i)
    if not each.beyond then
      finding { name = name .. "capacity", verdict = "not_observed", probes = each.probes,
                note = string.format("loops of up to %d KB stay on one plateau: %.2f clocks an instruction",
                                     each.bytes >> 10, each.clocks) }
    else
      finding { name = name .. "capacity", value = each.bytes, unit = "B", low = each.bytes, high = each.beyond,
                probes = each.probes,
                note = string.format("loops of %d to %d KB take %.2f clocks an instruction, longer ones more",
                                     each.bytes_low >> 10, each.bytes >> 10, each.clocks) }
    end
    finding { name = name .. "interval", value = each.clocks, unit = "clocks", low = 0.96 * each.clocks,
              high = 1.04 * each.clocks, probes = each.probes,
              note = "clocks an instruction of one warp on the plateau" }
    if i < #found or each.beyond then
      local value, note = scope_of(each.shared, each.unseen, math.floor(device.sm_count))
      finding { name = name .. "scope", value = value, verdict = not value and "inconclusive" or nil, note = note,
                probes = #each.asked_beside > 0 and each.asked_beside or each.probes }
    end
  end
  if #found == 0 then
    finding { name = "inst.l1.capacity", verdict = "inconclusive",
              note = "no range of sizes takes the same clocks an instruction" }
  end
end

function M.run(input)
  if not probe then error("instruction_cache runs code of its own, which needs the device", 0) end
  if input.device.instruction_bytes >= 16 then return by_plateaus(input.device) end
  local unit = GRAIN * input.device.instruction_bytes
  local alone = alone_of(unit)
  local seen = knees(alone, sizes_up_to(MOST, unit))
  if #seen == 0 then
    return finding { name = "inst.l1.capacity", verdict = "not_observed",
                     note = string.format("code of up to %d B takes no more than its instructions", MOST) }
  end
  local groups = {}
  for i, knee in ipairs(seen) do
    local list, asked, sm = sharers(knee, unit, input.device.sm_count)
    groups[i] = { list = list, asked = asked, sm = sm }
  end
  -- Those who share the first level that is seen keep it busy: what lies before it comes to light.
  local first, sure, hidden = groups[1], false, nil
  if first.list and #first.list > 1 then
    local beside = {}
    for k = 2, math.min(#first.list, 1 + CROWD) do
      -- More than the level holds, and little enough that what lies behind it hands it over quickly.
      beside[#beside + 1] = { sm = first.list[k], code = seen[1].after.from * 3 // 2 // unit * unit }
    end
    local crowded = crowded_of(unit, beside)
    local what, knee = before_first(alone, crowded, seen[1], unit)
    sure = what ~= "unclear"
    if what == "hidden" then hidden = geometry(crowded, knee, unit) end
  end
  local found = { hidden }
  for _, knee in ipairs(seen) do found[#found + 1] = geometry(alone, knee, unit) end
  local overhead, number = overhead_of(found), 1
  if hidden then
    report("inst.l1.", hidden, overhead)
    finding { name = "inst.l1.scope", value = "SM",
              note = "what runs on the SMs that share the next level does not displace it" }
    number = 2
  end
  for i, knee in ipairs(seen) do
    local name = string.format("inst.l%d.", number)
    if sure then
      report(name, found[number], overhead)
      report_scope(name, groups[i].list, groups[i].asked, groups[i].sm)
    else
      unknown(name, { "capacity", "line", "sets", "ways", "scope" }, string.format("code of more than %d B "
        .. "misses, but a cache before this one, whose misses it hides, cannot be made visible: its number "
        .. "is not known", knee.before.to))
    end
    number = number + 1
  end
end

return M
