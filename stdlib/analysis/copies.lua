-- copies(of = "tma", count = n, bytes = size, threads = threads, moved = bytes, key = "op",
--        plain = "plain", address = "address"): asynchronous copies between global and shared memory.
--
-- `of` is what findings begin with, `count` the axis of copies. What one more copy adds is read from the
-- slope, so that barriers, fences and clocks, which do not grow with it, cancel. Every measure is
-- something else that copies do, and its name the value of `key`; one named "read" has no key.
--   bytes    the axis of bytes of one copy, a key
--   threads  the axis of threads that copy, a key
--   moved    the column bytes: the rate of copies in flight together, instead of the latency of copies
--            that are waited for one by one
--   plain    a measure of a chase of plain loads, which copies are compared with; of its clocks those of
--            the measure `address` are taken off, a chain of as many additions of addresses
-- Arguments that must be given: count.
-- Arguments that need 4 values: count.
-- Covered by tests/experiments/async_planted_test.cpp.

local lines = use "parts/line"
local pick = use "parts/select"

local M = {}

local function named(name, keys)
  if #keys == 0 then return name end
  return string.format("%s[%s]", name, table.concat(keys, ","))
end

-- Clocks of one more plain load, without the addition that makes its address.
local function load_of(input, samples, count, plain, address)
  local load = lines.of(input, pick.measure(samples, plain), count, "copy")
  if load.why or not address then return load end
  local addition = lines.of(input, pick.measure(samples, address), count, "copy")
  return addition.why and addition or lines.minus(load, addition)
end

local function report(input, samples, axes, keys, load)
  local of = pick.text(input, "of", "copy")
  local line = lines.of(input, samples, axes.count, "copy", lines.within)
  if not input.args.moved then
    pick.slope(named(of .. ".latency", keys), "clocks", line, nil,
               "clocks for one more copy that is waited for" .. lines.caveat(line))
    if not load then return end
    return pick.slope(named(of .. ".over_load", keys), "clocks", lines.minus(line, load), nil, string.format(
                      "a copy that is waited for, minus a plain load of %.1f clocks", load.slope or 0))
  end
  local name, step = named(of .. ".bandwidth", keys), lines.added(samples, axes.count, "bytes")
  if not step then return pick.inconclusive(name, "B/clk", "there is one number of copies") end
  pick.slope(name, "B/clk", line, function(slope) return step / slope end,
             string.format("one more copy moves %.0f B, all of them in flight at once%s", step, lines.caveat(line)))
end

function M.run(input)
  pick.only(input, "copies",
            { "of", "count", "bytes", "threads", "moved", "key", "plain", "address" })
  local axes = { count = pick.axis(input, "count", "count = n") }
  pick.need(input.samples, "latency", "observe latency")
  if input.args.moved then pick.need(input.samples, "bytes", "name bytes: copies(..., moved = bytes)") end
  local plain, address = pick.text(input, "plain"), pick.text(input, "address")
  local load = plain and load_of(input, input.samples, axes.count, plain, address)
  if load then
    local name = pick.text(input, "of", "copy") .. ".plain_load"
    pick.slope(name, "clocks", load, nil, "clocks for one more load of a chase, without its address")
  end
  local by = {}
  for _, name in ipairs { "threads", "bytes" } do
    if input.args[name] then by[#by + 1] = pick.axis(input, name, name .. " = " .. name) end
  end
  local measures = input.samples:has("measure")
  if measures then by[#by + 1] = "measure" end
  for _, group in ipairs(input.samples:having("latency"):group(table.unpack(by))) do
    local keys, at = {}, 1
    for _, name in ipairs { "threads", "bytes" } do
      if input.args[name] then
        keys[#keys + 1] = string.format("%s=%d", name, group.key[by[at]])
        at = at + 1
      end
    end
    local measure = measures and group.key.measure
    if measure and measure ~= "read" then
      keys[#keys + 1] = pick.text(input, "key", "op") .. "=" .. measure
    end
    if not measure or (measure ~= plain and measure ~= address) then
      report(input, group.samples, axes, keys, load)
    end
  end
end

return M
