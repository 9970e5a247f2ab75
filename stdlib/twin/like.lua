-- Another GPU of the same chip: its device file says what the own runs do not, and `field` joins the two.
--     measured     stays, with three exceptions where the row is not of the memory:
--                  - the file's value is from a finding that the row prefers and the own runs lack
--                  - the file's value is fitted: the model errs alike on both GPUs, so the own finding differs as much
--                    from a fitted value as the other's does; where the other's is not known the fitted value stands
--                  - both are of one finding, and the file's is in the own interval and has a narrower one
--     assumed      gives way to what the file has from a source
--     nothing      gives way to what the file has
-- Memory differs between two GPUs of a chip, and L2 with it: their rows are marked (make.lua). As many slices of L2 go
-- with each channel of memory, so a clock of all channels is as much longer as the slices are fewer. What the SMs get of
-- all slices is the chip's: an H100 reads 7.4 TB/s of 80 and an H200 7.8 of 96, so a slice takes the less the fewer.
-- Covered by tests/twin/like_test.cpp.

local M = {}

local function number_text(value) return string.format("%.6g", value) end

-- Whether a source cites a finding: "l1.latency 32.05 clocks (29.32 to 34.78), driver: clock_hz 1.98e+09: ..."
local function cites(why, name) return (", " .. why):find(", " .. name .. " ", 1, true) ~= nil end

local function cites_any(why, names)
  for _, name in ipairs(names) do
    if cites(why, name) then return true end
  end
  return false
end

local function is_fitted(theirs) return theirs.why:find("^fitted: ") ~= nil end

-- A field as the file has it, `times` over.
local function taken(e, theirs, times)
  local why, value, text = theirs.why, theirs.value, theirs.text
  if times and times ~= 1 then
    value, text = value * times, nil
    why = string.format("%s, times %s by slices of L2", why, number_text(times))
  end
  local field = { value = value, text = text }
  why = string.format("%s; as on the %s", why, e.like.name)
  if theirs.assumed then field.assumed = why else field.note = why end
  return field
end

-- Clocks that the model adds of its own, or the ratio of a rate.
local function corrected(e, row, path, own, theirs)
  local formula = e.like.evidence:field(path)
  if not formula.source or type(formula.value) ~= "number" or formula.value == 0 then return taken(e, theirs) end
  local field = { place = own.place }
  if row.unit == "clocks" then
    local more = theirs.value - formula.value
    field.value, field.source = math.max(0, own.value + more), string.format("%s, and %s", own.source, number_text(more))
  else
    local times = theirs.value / formula.value
    field.value, field.source = own.value * times, string.format("%s, times %s", own.source, number_text(times))
  end
  field.source = string.format("%s as a fit made of it on the %s", field.source, e.like.name)
  return field
end

-- Of the first finding that a source cites: 29.32 and 34.78.
local function interval_of(why)
  local at = why:find(" (", 1, true)
  local low, high = why:sub(at or 0, (at or 0) + 40):match "^ %(([^ ]+) to ([^)]+)%)"
  return tonumber(low), tonumber(high)
end

-- One finding of both, which the file knows better.
local function is_narrower(own, theirs)
  local name = own.source:match "^(%S+) "
  if not name or name == "driver:" or theirs.why:match "^(%S+) " ~= name then return false end
  local low, high = interval_of(own.source)
  local from, to = interval_of(theirs.why)
  return low and from and to - from < high - low and theirs.value > low and theirs.value < high
end

local function replaced(e, row, path, own, theirs)
  if row.memory or theirs.assumed or theirs.value == own.value then return own end
  if is_fitted(theirs) then return corrected(e, row, path, own, theirs) end
  if cites_any(theirs.why, own.missed) or is_narrower(own, theirs) then return taken(e, theirs) end
  return own
end

-- A list with an item for each SM or slice is of as many.
local function fits_here(e, row)
  local theirs = row.each and e.like.values[row.each]
  return not row.each or theirs and theirs.value == e:got(row.each)
end

local function by_slices(e, row)
  local theirs = e.like.values["l2_slices.count"]
  if not theirs or not row.channels and not row.slices then return nil end
  local own = e:got "l2_slices.count" or theirs.value
  return row.channels and theirs.value / own or own / theirs.value
end

-- The field of a row: `own`, as the own runs give it, or the file's.
function M.field(e, row, path, own)
  local theirs = e.like and e.like.values[path]
  if not theirs or row.unit == "hidden" or not fits_here(e, row) then return own end
  if own.source then return replaced(e, row, path, own, theirs) end
  if own.value ~= nil and theirs.assumed then return own end
  return taken(e, theirs, by_slices(e, row))
end

-- A field that no row gives, as those that are fitted.
function M.other(e, path) return taken(e, e.like.values[path]) end

-- Rows of operations with those of the file that they lack or assume.
function M.operations(e, rows)
  local known = {}
  for _, row in ipairs(rows) do known[row.name] = row end
  for _, theirs in ipairs(e.like and e.like.operations or {}) do
    local own = known[theirs.name]
    if not own or own.assumed and not theirs.assumed then
      local note = taken(e, theirs)
      local row = own or { name = theirs.name }
      row.latency, row.interval, row.assumed, row.note = theirs.latency, theirs.interval, note.assumed, note.note
      if not own then rows[#rows + 1] = row end
    end
  end
  return rows
end

-- The file as tables: values by path, paths of a section in their order, operations.
function M.of(input, evidence)
  local like = { name = input.name, values = {}, sections = {}, order = {}, operations = {}, evidence = evidence }
  local operations = {}
  for _, one in ipairs(input.values) do
    local name, what = one.path:match "^op%.(.+)%.(%l+)$"
    local section = one.path:match "^([^.]+)%." or ""
    if name then
      local row = operations[name]
      if not row then
        row = { name = name, why = one.why, assumed = one.assumed }
        operations[name], like.operations[#like.operations + 1] = row, row
      end
      row[what] = one.value
    else
      if not like.sections[section] then
        like.sections[section], like.order[#like.order + 1] = {}, section
      end
      table.insert(like.sections[section], one.path)
      like.values[one.path] = one
    end
  end
  return like
end

return M
