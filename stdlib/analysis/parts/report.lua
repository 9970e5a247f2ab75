-- Findings of a level: each quantity with its value, or inconclusive with the reason.
-- Used by cache.lua, tlb.lua, reach.lua and parts/placements.lua. Covered by tests/runtime/cache_inference_test.cpp.

local policies = use "parts/policies"
local ledger = use "parts/steps"
local M = {}
---@names level: Level

local FINEST = 32   -- bytes: no line is smaller

-- What CUDA lets L2 fetch of memory at once is more than a sector, unless a program sets
-- cudaLimitMaxL2FetchGranularity: seen on an H100, where 64 B become 32 B by that.
local FETCHED = "; the driver may let it bring in more than one sector at once: a sector may be less"

local AS_MUCH = "; the upper level requests as much at once: it may be less"

-- Bytes of memory and of granules, in words.
function M.size(bytes)
  if bytes >= 1 << 30 then return string.format("%.4g GB", bytes / (1 << 30)) end
  if bytes >= 1 << 20 then return string.format("%.4g MB", bytes / (1 << 20)) end
  return string.format("%.4g KB", bytes / 1024)
end

-- A finding about a level, with the steps to it and the probes that it rests on. low, high: where a number is not certain.
local function emit(level, name, value, unit, note, doubt, low, high)
  local probes = ledger.probes(level.steps, name:match("[^.]+$"))
  if value == nil then
    return finding { name = name, unit = unit, verdict = "inconclusive", note = doubt or note, steps = level.steps,
                     probes = probes }
  end
  local is_number = type(value) == "number"
  finding { name = name, value = value, unit = unit, note = note, low = is_number and (low or value) or nil,
            high = is_number and (high or value) or nil, steps = level.steps, probes = probes }
end

-- By how much lines may be smaller than they look, and a note on it: behind a level that asks for lines
-- as large, a smaller one cannot be told from a part.
local function finer(level, names)
  if not level.coarse or names.line ~= "line" or not level.line then return 1, "" end
  return math.max(1, level.line // FINEST), AS_MUCH
end

-- The bits that select the set, where each is selected by itself: a list of their numbers.
local function set_bits(fn)
  if not fn or fn.kind ~= "bits" then return nil end
  local bits = {}
  for i, mask in ipairs(fn.masks) do
    if #mask ~= 1 then return nil end
    bits[i] = mask[1]
  end
  return bits
end

local function policy(prefix, level)
  local found = level.policy or {}
  if found.none then
    return finding { name = prefix .. "policy", verdict = "not_observed", note = found.none }
  end
  local note = found.note or found.name and "predicts every hit and miss of sequences it was not fitted to"
  local what = found.name and policies.what(found.name)
  if what then note = note .. "; " .. what end
  if found.name == "random" then
    note = string.format("every way is as likely to give up its line: one that did so %g times as often would show",
                         found.unequal)
  end
  if found.shares then note = string.format("ways give up their lines with unequal shares, from %d " ..
                                            "replacements", found.count) end
  emit(level, prefix .. "policy", found.name, nil, note, level.doubt.policy)
  if found.shares then
    emit(level, prefix .. "way_probability", found.shares, nil, string.format(
         "share of the replacements that each way takes, largest first; +- %.3f",
         2 * math.sqrt(0.25 / found.count)))
  end
end

local function sets_of(prefix, level, reach, times)
  local doubt = level.doubt
  emit(level, prefix .. "sets", level.sets, nil, level.set_function and level.set_function .. reach,
       doubt.sets, level.sets_low, level.sets_high or level.sets and level.sets * times)
  local equal = not level.set_sizes or level.set_sizes[1] == level.set_sizes[#level.set_sizes]
  if equal then
    emit(level, prefix .. "ways", level.ways, nil, "lines that one set holds", doubt.ways)
  else
    finding { name = prefix .. "ways", verdict = "not_observed", note = "sets hold unequal numbers of lines" }
    emit(level, prefix .. "set_sizes", level.set_sizes, nil, "lines that each set holds, largest first")
  end
  local bits = set_bits(level.fn)
  if bits and #bits > 0 then
    emit(level, prefix .. "set_bits", bits, nil, "bits of the address that select the set, from 0")
  end
end

-- Clocks of a level: what one access takes, less what it takes to observe one by itself.
function M.latency(name, found, overhead, note)
  if not found then return end
  finding { name = name, value = found.value - overhead, unit = "clocks",
            low = found.low - overhead, high = found.high - overhead, note = note, probes = found.probes }
end

-- The same level without its sets, where there may be more of them than are seen.
local function without_open_sets(level)
  local why = level.fn and level.fn.open
  if not why then return level end
  local out = {}
  for name, value in pairs(level) do out[name] = value end
  out.sets, out.capacity, out.entries, out.fn, out.doubt = nil, nil, nil, nil, { sets = why, capacity = why }
  for what, reason in pairs(level.doubt) do out.doubt[what] = reason end
  return out
end

-- All findings of one level. names.line: "line" of a cache, "page" of a TLB.
function M.level(prefix, level, names, overhead, reach)
  level = without_open_sets(level)
  local doubt = level.doubt
  local times, note = finer(level, names)
  local told = level.told or {}   -- how else than by its sets a quantity was found
  local line, sector = level.line and level.line // times, level.sector and level.sector // times
  -- Where single bits select the set, smaller lines lie in sets of their own.
  local capacity = level.capacity and (set_bits(level.fn) and level.capacity or level.capacity // times)
  emit(level, prefix .. "capacity", level.capacity, "B", level.counted or "the largest footprint without a miss",
       doubt.capacity, level.capacity_low or capacity, level.capacity_high)
  emit(level, prefix .. names.line, level.line, "B",
       told.line or "addresses this close share a line" .. note, doubt.line, line)
  if names.sector then
    local hint = (level.hinted and FETCHED or "") .. (level.coarse_sector and not level.coarse and AS_MUCH or "")
    emit(level, prefix .. names.sector, level.sector, "B",
         (told.sector or "fill size: the bytes that one miss loads" .. note) .. hint,
         doubt.sector, (level.hinted or level.coarse_sector) and FINEST or sector)
  end
  if names.entries then
    emit(level, prefix .. names.entries, level.entries, nil, names.line .. "s at once", doubt.capacity)
  end
  sets_of(prefix, level, reach, times)
  policy(prefix, level)
  if doubt.latency then
    return emit(level, prefix .. "latency", nil, "clocks", nil, doubt.latency)
  end
  M.latency(prefix .. "latency", level.hit, overhead,
            level.hit and level.hit.note or "hit latency")
end

return M
