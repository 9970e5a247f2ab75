-- cache(space = "global", cache = "ca", first = 1, level = "l1"): the caches of a memory space, from
-- chases that the analysis asks for as it learns.
--
-- The method proposes levels from the latencies of growing lists (parts/levels.lua), tests with
-- lists chosen so that the answer decides (parts/residence.lua, geometry, set_function,
-- replacement), and concludes only what then foretells fresh lists. `first` numbers the nearest level
-- that the cache operator does not pass by. Covered by tests/runtime/cache_inference_test.cpp.

local levels = use "parts/levels"
local report = use "parts/report"
local M = {}

function M.describe() return "caches of a space: capacity, line, sets, ways, policy, latency" end

local PREFIX = { global = "", texture = "tex.", constant = "const.", ["local"] = "local." }
-- What lists and what clears nearer caches may take; constant memory has 64 KB in all.
local ROOM = { constant = { most = 44 << 10, limit = 64 << 10 } }
local PLENTY = { most = 5 << 20, limit = 8 << 20 }

-- How a space is asked: a function of lists, and one for averages.
function M.asks(space, operator, bytes, width)
  local function request(list, warm, passes, average)
    return probe.chase { space = space, cache = operator, width = width or 4, bytes = bytes,
                         offsets = list, warm = warm, passes = passes, average = average }
  end
  return request, function(list, passes) return request(list, 2, passes, true)[1] end
end

-- What it costs to observe one access by itself, from one address that always hits.
function M.overhead(ask, average)
  return stats.median(ask({ 0 }, 4, 256)) - average({ 0 }, 1024)
end

local function text_arg(input, name, absent)
  local value = input.args[name]
  if value == nil then return absent end
  if type(value) ~= "string" then error("the argument " .. name .. " must be a text", 0) end
  return value
end

-- One walk for each space and operator in a script's life.
local walked = {}

local function walk(space, operator)
  local room = ROOM[space] or PLENTY
  local limit = math.min(room.limit, probe.most_bytes(space))
  local most = math.min(room.most, limit // 2 + limit // 8)
  local ask, average = M.asks(space, operator, limit)
  local out = levels.walk { probe = ask, granule = 32, unit = 4, word = 4, most = most, limit = limit }
  out.overhead, out.most = M.overhead(ask, average), most
  return out
end

local function report_overlap(prefix, first, found)
  for _, what in ipairs { "capacity", "line", "sets", "ways", "policy", "latency" } do
    finding { name = string.format("%sl%d.%s", prefix, first, what), verdict = "inconclusive",
              note = found.overlap }
  end
end

function M.run(input)
  if not probe then error("cache asks for chases of its own: it needs the device", 0) end
  local space = text_arg(input, "space", "global")
  local operator, level = text_arg(input, "cache"), text_arg(input, "level")
  local prefix, first = PREFIX[space], input.args.first or 1
  if not prefix then error("caches of the space '" .. space .. "' cannot be chased", 0) end
  local key = space .. "/" .. (operator or "")
  walked[key] = walked[key] or walk(space, operator)
  local found = walked[key]
  if found.overlap then return report_overlap(prefix, first, found) end
  local reach = string.format(", over the first %d KB", found.most >> 10)
  for i, each in ipairs(found.levels) do
    local name = string.format("l%d", first + i - 1)
    if not level or level == name then
      report.level(prefix .. name .. ".", each, { line = "line", sector = "sector" }, found.overhead,
                   reach)
    end
  end
  if level and level ~= "miss" then return end
  if #found.levels > 0 then
    report.latency(prefix .. "miss.latency", found.memory, found.overhead,
                   "an access that none of these caches answers")
  else
    report.latency(prefix == "" and "global.latency" or prefix .. "latency", found.memory,
                   found.overhead, "the same for lists of every size" .. reach)
  end
end

return M
