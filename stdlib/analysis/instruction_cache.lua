-- instruction_cache(): the caches of code, from the time of one pass through straight code of growing
-- size (Wong 2010, section IV-K).
--
-- A warp goes through the code round and round. While a cache holds all of it, a pass takes its
-- instructions' time. One line more, and the set that it falls into misses all of its lines; one set
-- after the other follows, until everything misses. So the curve rises in as many steps as there are
-- sets, each a line wide, and steeply where the ways are many; after that each line costs one miss. A
-- cache whose misses the next one hides is seen where blocks on other SMs keep the next one busy.
-- Covered by tests/experiments/sharing_planted_test.cpp.

local M = {}

local GRAIN = 8          -- instructions: sizes are multiples of so many
local MOST = 128 << 10   -- bytes of code
local MOST_SETS = 128
local MOST_SMS = 40      -- that are all asked; of more the first ones and every fourth

function M.describe() return "caches of code: capacity, line, sets, ways, who shares them" end

-- A curve that asks for what it does not know yet: clocks of a pass by bytes of code.
local function curve_of(beside, unit)
  local known = {}
  return function(bytes)
    bytes = bytes // unit * unit
    if not known[bytes] then
      known[bytes] = stats.median(probe.code { bytes = bytes, sm = 0, warm = 3,
                                               ["repeat"] = 3, beside = beside })
    end
    return known[bytes]
  end
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

-- The last size that costs no more than its instructions.
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

-- How many steps are larger than those that follow, and by how much on average.
local function count_steps(clocks, first, line, unit, knee)
  local small = (knee.after.slope - knee.before.slope) * line
  local sets, sum, at = 0, 0, first
  while sets <= MOST_SETS do
    local step = clocks(at + line) - clocks(at) - knee.before.slope * line
    if step < 1.6 * small then return sets, sets > 0 and sum / sets / small or 0 end
    sets, sum, at = sets + 1, sum + step, at + line
  end
  return nil
end

local function unknown(name, what, note)
  for _, each in ipairs(what) do
    finding { name = name .. each, verdict = "inconclusive", note = note }
  end
end

-- The geometry of the cache behind a knee, under the names of a level.
local function report(name, clocks, knee, unit)
  local all = { "capacity", "line", "sets", "ways" }
  local tolerance = math.max(8, 0.02 * knee.before.slope * unit)
  local first = last_whole(clocks, knee, unit, tolerance)
  local line = line_of(clocks, first, knee, unit)
  if not line then
    return unknown(name, all, string.format("code of %d B is the last that is fetched for nothing, but the "
      .. "steps after it are not equal", first))
  end
  local sets, ratio = count_steps(clocks, first, line, unit, knee)
  if not sets or sets == 0 then
    return unknown(name, all, "the steps that tell the sets do not end, or there is none")
  end
  -- The loop around the code has a part of the cache, which is less than a way.
  local ways = math.ceil(first / (sets * line))
  if math.abs(ratio - 1 - ways) > math.max(1.2, 0.35 * ways) then
    return unknown(name, all, string.format("%d steps of %d B end at %d ways, but each costs as much as %.1f "
      .. "misses", sets, line, ways, ratio))
  end
  local note = string.format("from %d B of code on %d steps of %d B, each of %.1f misses", first, sets, line,
    ratio)
  finding { name = name .. "capacity", value = sets * line * ways, unit = "B", note = note }
  finding { name = name .. "line", value = line, unit = "B", low = line, high = line, note = note }
  finding { name = name .. "sets", value = sets, note = note }
  finding { name = name .. "ways", value = ways, note = note }
  return sets * line * ways
end

-- The SMs on which code of the same size displaces what SM 0 runs. An SM is its own company.
local function sharers(knee, clocks, unit, count)
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

local function report_scope(name, list, asked, sm)
  if not list then
    return unknown(name, { "scope" }, string.format("code on SM %d disturbs it less than displacement would, "
      .. "but more than chance", sm))
  end
  local value = #list == 1 and "SM" or #list == asked and "GPU" or "TPC"
  finding { name = name .. "scope", value = value,
            note = string.format("code on SM %s displaces what SM 0 runs, of %d SMs that were asked",
              table.concat(list, ", "), asked) }
end

function M.run(input)
  if not probe then error("instruction_cache asks for runs of its own: it needs the device", 0) end
  local unit = GRAIN * input.device.instruction_bytes
  local alone = curve_of(nil, unit)
  local seen = knees(alone, sizes_up_to(MOST, unit))
  if #seen == 0 then
    return finding { name = "inst.l1.capacity", verdict = "not_observed",
                     note = string.format("code of up to %d B takes no more than its instructions", MOST) }
  end
  local groups = {}
  for i, knee in ipairs(seen) do
    local list, asked, sm = sharers(knee, alone, unit, input.device.sm_count)
    groups[i] = { list = list, asked = asked, sm = sm }
  end
  -- Those who share the first level that is seen keep it busy: what lies before it comes to light.
  local hidden, crowded
  local first = groups[1]
  if first.list and #first.list > 1 and #first.list < first.asked then
    local beside = {}
    for k = 2, #first.list do
      beside[#beside + 1] = { sm = first.list[k], code = 4 * seen[1].after.from // unit * unit }
    end
    crowded = curve_of(beside, unit)
    local near = knees(crowded, sizes_up_to(seen[1].before.to, unit))
    for _,z in ipairs(stretches(crowded, sizes_up_to(seen[1].before.to, unit))) do print(z.from,z.to,z.slope,z.count) end
    if near[1] then hidden = near[1] end
  end
  local number = 1
  if hidden then
    report("inst.l1.", crowded, hidden, unit)
    finding { name = "inst.l1.scope", value = "SM",
              note = "what runs on the SMs that share the next level does not displace it" }
    number = 2
  end
  for i, knee in ipairs(seen) do
    local name = string.format("inst.l%d.", number)
    report(name, alone, knee, unit)
    report_scope(name, groups[i].list, groups[i].asked, groups[i].sm)
    number = number + 1
  end
end

return M
