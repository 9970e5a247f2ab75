-- Steps to a finding, and the probes that each step rests on.
--
-- A ledger is a list of texts, which finding{ steps = } takes as it is; beside them it has the numbers of
-- probes. say() adds a step, which rests on the probes since the one before it. show() adds what some
-- probes show about quantities: a curve that `gpx explain --finding` draws.
-- Covered by tests/runtime/cache_inference_test.cpp and tests/experiments/evidence_test.cpp.

local M = {}

---@class Shown            what probes show: an item of finding{ probes = }
---@field what string
---@field first integer     -- number of the first probe in the log...
---@field last integer      -- ...and of the last one
---@field x string?         -- what the points have
---@field y string?
---@field points number[][]?

-- The number of the last probe so far.
local function now() return probe and probe.count() or 0 end
M.now = now

-- A ledger without steps.
function M.new() return { rests_on = {}, seen = now() } end

-- One more step, to some quantities of the level or (nil) to all.
---@param quantities string[]?
function M.say(steps, text, quantities)
  steps[#steps + 1] = text
  local last = now()
  if last > steps.seen then
    steps.rests_on[#steps.rests_on + 1] = { step = #steps, to = quantities, first = steps.seen + 1, last = last }
  end
  steps.seen = last
end

-- Probes made since `before`, a number that now() gave, with what they show; nil: there are none.
---@return Shown?
function M.since(before, what, x, y, points)
  local last = now()
  if last <= before then return nil end
  return { what = what, first = before + 1, last = last, x = points and x, y = points and y, points = points }
end

-- What probes show about some quantities of the ledger's level.
---@param shown Shown?
function M.show(steps, quantities, shown)
  for _, quantity in ipairs(shown and quantities or {}) do
    steps.rests_on[#steps.rests_on + 1] = { of = quantity, shown = shown }
  end
end

-- The steps of another ledger, behind its own.
function M.append(steps, others)
  local before = #steps
  for i, text in ipairs(others) do steps[before + i] = text end
  for _, each in ipairs(others.rests_on) do
    steps.rests_on[#steps.rests_on + 1] =
      each.step and { step = before + each.step, to = each.to, first = each.first, last = each.last } or each
  end
  steps.seen = now()
end

local function has(list, item)
  for _, each in ipairs(list) do
    if each == item then return true end
  end
  return false
end

-- What a quantity rests on: what probes show about it, or else the steps to it; nil: there is nothing.
---@return Shown[]?
function M.probes(steps, quantity)
  local shown, all = {}, {}
  for _, each in ipairs(steps.rests_on) do
    if each.of == quantity then shown[#shown + 1] = each.shown end
    if each.step and (not each.to or has(each.to, quantity)) then
      all[#all + 1] = { what = "step " .. each.step, first = each.first, last = each.last }
    end
  end
  return #shown > 0 and shown or #all > 0 and all or nil
end

-- { x, y } by ascending x, of a table y by x.
function M.points(by_x)
  local out = {}
  for x, y in pairs(by_x) do out[#out + 1] = { x, y } end
  table.sort(out, function(a, b) return a[1] < b[1] end)
  return out
end

return M
