-- From findings to a device file: make(input) gives its text, and what could not be known.
--
-- The tables are the other files of this folder: lists of sections { name, when, rows }. A row is a field:
--     field     "latency"
--     unit      clocks, B, Hz, "" (a number), count (a whole one), word, list, bits, hidden (for other rows alone)
--     finding   the name of a finding whose value it is, or a list of names, the best one first
--     fact      a fact that the driver reports, whose value it is
--     value     function(e): the value from findings, facts and other fields; nil: they do not say
--     how       the formula, in words, for the source
--     assumed   a value, or function(e), where none of these says anything; why: the reason
--     memory    of L2 or the memory behind it; `channels`: a clock of all of its channels; `slices`: of one slice of L2,
--               or as many as these; `each`: the field with as many items as the list has. They say what another GPU of
--               the chip (like.lua) tells of the row; a section that is `memory` is none of another GPU's.
--   A row without any of these for the device is listed as unknown. `when(e)`: whether the device has the section;
--   its second result says how that is known.
-- input     devices (facts), findings, settings, operations, costed, name, title, place, like (another GPU of the chip:
--           name, values of its file, devices, findings): runtime/twin/draft.cpp
-- Covered by tests/twin/draft_test.cpp.

local M = {}
local likeness = use "like"

local TABLES = { "chip", "operations", "load_path", "caches", "near", "hopper" }
local MOST_SOURCES = 3

-- ---------------------------------------------------------------- values as texts

local function number_text(value)
  local text = string.format("%.6g", value)
  return (text:gsub("^(-?%d+)%.0$", "%1"))
end

local function bytes_text(value)
  for _, unit in ipairs { { "GB", 1 << 30 }, { "MB", 1 << 20 }, { "KB", 1 << 10 } } do
    if value % unit[2] == 0 and value >= unit[2] then return string.format("%d %s", value // unit[2], unit[1]) end
  end
  return string.format("%d B", value)
end

local function list_text(value, deep)
  local items = {}
  for i, item in ipairs(value) do
    items[i] = type(item) == "table" and list_text(item, true) or number_text(item)
  end
  return deep and "{ " .. table.concat(items, ", ") .. " }" or table.concat(items, ", ")
end

local function quoted(text) return string.format("%q", text) end

local TEXT = {
  clocks = function(value) return quoted(number_text(value) .. " clocks") end,
  B = function(value) return quoted(bytes_text(value)) end,
  Hz = function(value) return quoted(number_text(value / 1e6) .. " MHz") end,
  [""] = number_text,
  count = function(value) return string.format("%d", math.floor(value + 0.5)) end,
  word = quoted,
  list = list_text,
  bits = list_text,
}

-- ---------------------------------------------------------------- evidence

local function brief(value)
  if type(value) == "number" then return number_text(value) end
  if type(value) == "table" then return #value .. " values" end
  return tostring(value)
end

local function interval_text(finding)
  local low, high = finding.low, finding.high
  if not low and not high then return "" end
  if low == high then return " exactly" end
  return string.format(" (%s to %s)", low and brief(low) or "any", high and brief(high) or "any")
end

-- "l1.latency 32.05 clocks (29.32 to 34.78)"
local function cite(finding)
  local unit = finding.unit ~= "" and " " .. finding.unit or ""
  return finding.name .. " " .. brief(finding.value) .. unit .. interval_text(finding)
end

local Evidence = {}

-- The findings of a name, whichever experiment has it, and of "experiment/name". What was measured wins over what
-- was not, and later experiments over earlier ones.
local function index(findings)
  local by = {}
  local function put(key, finding)
    local old = by[key]
    if not old or finding.verdict == "measured" or old.verdict ~= "measured" then by[key] = finding end
  end
  for _, finding in ipairs(findings) do
    put(finding.name, finding)
    put(finding.experiment .. "/" .. finding.name, finding)
  end
  return by
end

function Evidence.find(e, name)
  local finding = e.by[name]
  if not finding or finding.verdict ~= "measured" or finding.value == nil then
    e.missed[#e.missed + 1] = name
    e.asked[#e.asked + 1] = name
    return nil
  end
  e.used[#e.used + 1] = finding
  return finding
end

-- Whether an experiment looked for it and saw nothing.
function Evidence.absent(e, name)
  local finding = e.by[name]
  return finding and finding.verdict == "not_observed" or false
end

-- The value of a finding; nil where there is none.
function Evidence.v(e, name)
  local finding = e:find(name)
  return finding and finding.value
end

-- The same without citing it: for what decides whether another finding counts. One that a device may lack is none that
-- is missing.
function Evidence.peek(e, name)
  local finding = e.by[name]
  if finding and finding.verdict == "inconclusive" then e.asked[#e.asked + 1] = name end
  return finding and finding.verdict == "measured" and finding.value or nil
end

-- The value of a finding that only some devices have: where nothing measured it none is missing.
function Evidence.may(e, name)
  if e:peek(name) ~= nil then return e:v(name) end
  e.missed[#e.missed + 1] = name
  return nil
end

function Evidence.fact(e, key)
  local value = e.facts[key]
  if value == nil or value == 0 or value == "" then return nil end
  e.used[#e.used + 1] = { name = "driver: " .. key, value = value, unit = "" }
  return value
end

-- 90 of compute capability 9.0.
function Evidence.capability(e)
  local facts = e.facts
  return 10 * (facts.sm_major or 0) + (facts.sm_minor or 0)
end

-- The target whose machine code ran, where the tables have what its instructions take; else nil.
function Evidence.code(e)
  local known = e.facts.code == "SASS" and e:capability() == 90 and e:peek "op.min.u32.latency"
  return known and "sm_90a" or nil
end

function Evidence.setting(e, name, default) return tonumber(e.input.settings[name]) or default end

-- What the driver reports, in any of the runs.
local function facts_of(devices)
  local facts = {}
  for _, device in ipairs(devices) do
    for key, value in pairs(device) do
      if value ~= 0 and value ~= "" and value ~= false then facts[key] = value end
    end
  end
  if facts.sm_major then facts.compute_capability = string.format("%d.%d", facts.sm_major, facts.sm_minor or 0) end
  return facts
end

-- ---------------------------------------------------------------- rows

local function direct(e, row)
  local names = type(row.finding) == "string" and { row.finding } or row.finding or {}
  for _, name in ipairs(names) do
    local value = e:v(name)
    if value ~= nil then return value end
  end
  return row.fact and e:fact(row.fact)
end

local function source_of(e, row)
  local texts, seen, place = {}, {}, nil
  for _, finding in ipairs(e.used) do
    local text = cite(finding)
    place = place or finding.place
    if not seen[text] and #texts < MOST_SOURCES then texts[#texts + 1] = text end
    seen[text] = true
  end
  local text = table.concat(texts, ", ")
  if row.how then text = text .. (text ~= "" and ": " or "") .. row.how end
  return text, place or e.input.place
end

-- A verdict and its note, or that nothing measured it.
local function why_unknown(e)
  for _, name in ipairs(e.missed) do
    local finding = e.by[name]
    if finding then return string.format("%s is %s: %s", name, finding.verdict:gsub("_", " "), finding.note) end
  end
  local name = e.missed[1]
  return name and "nothing measured " .. name or "no finding gives it"
end

local function evaluate(e, row)
  local value
  if row.value then value = row.value(e) end
  value = value or direct(e, row)
  if value then
    local source, place = source_of(e, row)
    return { value = value, source = source, place = place }
  end
  local why = why_unknown(e)
  local assumed = row.assumed
  if type(assumed) == "function" then assumed = assumed(e) end
  if assumed ~= nil then return { value = assumed, assumed = row.why or why } end
  return { unknown = why }
end

local function computed(e, row, path)
  local used, missed, asked = e.used, e.missed, e.asked
  e.used, e.missed, e.asked = {}, {}, {}
  local field = evaluate(e, row)
  field.missed = e.missed
  field = likeness.field(e, row, path, field)
  field.path, field.unit, field.asked = path, row.unit, e.asked
  e.used, e.missed, e.asked = used, missed, asked
  return field
end

-- Computes a field once; what it used is its own. What a hidden one lacks is missing where it is used.
local function field_of(e, path)
  local row = e.rows[path]
  if not row then error("no row of the twin's tables gives " .. path) end
  local field = e.fields[path] or computed(e, row, path)
  e.fields[path] = field
  for _, name in ipairs(row.unit == "hidden" and field.asked or {}) do e.asked[#e.asked + 1] = name end
  return field
end

-- The value that another field has; nil where it is unknown.
function Evidence.got(e, path) return field_of(e, path).value end
function Evidence.field(e, path) return field_of(e, path) end

-- ---------------------------------------------------------------- the file

local function note_text(field)
  if field.assumed then return "assumed = " .. quoted(field.assumed) end
  return "source = " .. quoted(field.note or field.source .. "; " .. field.place)
end

local KEYWORDS = { ["local"] = true }

local function field_line(name, field)
  local text = field.text or TEXT[field.unit](field.value)
  local key = KEYWORDS[name] and string.format("[%q]", name) or name
  return string.format("    %s = { %s, %s },", key, text, note_text(field))
end

local function path_of(section, row) return (section.name ~= "" and section.name .. "." or "") .. row.field end

local function counted(made, field)
  local from = field.assumed and "assumed" or "measured"
  made.count[from] = made.count[from] + 1
end

-- Why a finding that was asked for is not there; nil where an experiment saw that the device has nothing of the kind,
-- and where `replaced` others give what it would have.
local function why_missing(e, name, replaced)
  local finding = e.by[name]
  if not finding then return not replaced and "not measured" or nil end
  if finding.verdict == "not_observed" then return nil end
  return "inconclusive: " .. (finding.note:gsub("%s+", " "))
end

-- Lists what `path` asked for and did not get.
local function tell_missing(e, made, path, asked, replaced)
  for _, name in ipairs(asked) do
    local why = why_missing(e, name, replaced)
    local one = why and made.missing[name]
    if why and not one then
      one = { finding = name, why = why, fields = {} }
      made.missing[name], made.missing[#made.missing + 1] = one, one
    end
    if one and one.fields[#one.fields] ~= path then one.fields[#one.fields + 1] = path end
  end
end

-- What the file of another GPU has of a section that no row gives.
local function other_lines(e, section, made, lines)
  for _, path in ipairs(e.like and e.like.sections[section] or {}) do
    if not e.rows[path] then
      local field = likeness.other(e, path)
      lines[#lines + 1] = field_line(path:match "[^.]+$", field)
      counted(made, field)
    end
  end
  return lines
end

local function section_lines(e, section, made)
  local lines = {}
  for _, row in ipairs(section.rows) do
    local path = path_of(section, row)
    local field = field_of(e, path)
    local hidden = row.unit == "hidden" -- for other rows
    if not hidden then tell_missing(e, made, path, field.asked, field.source) end
    if not hidden and field.value ~= nil then
      lines[#lines + 1] = field_line(row.field, field)
      counted(made, field)
    elseif not hidden and not row.optional then
      made.unknown[#made.unknown + 1] = { path = path, why = field.unknown }
    end
  end
  return other_lines(e, section.name, made, lines)
end

local function op_lines(rows, made)
  local lines = {}
  for _, row in ipairs(rows) do
    lines[#lines + 1] = string.format("    [%s] = { latency = %s, interval = %s, %s },", quoted(row.name),
                                      TEXT.clocks(row.latency), TEXT.clocks(row.interval), note_text(row))
    counted(made, row)
  end
  return lines
end

local function begin(e, sections)
  for _, section in ipairs(sections) do
    for _, row in ipairs(section.rows or {}) do e.rows[path_of(section, row)] = row end
  end
end

local function add(text, ...) text[#text + 1] = string.format(...) end

local function write_lines(name, lines, text)
  if #lines == 0 then return end
  if name == "" then
    for _, line in ipairs(lines) do add(text, "%s", (line:gsub("^  ", ""))) end
    return
  end
  add(text, "\n  %s = {", name)
  for _, line in ipairs(lines) do add(text, "%s", line) end
  add(text, "  },")
end

-- Whether the device has a section: the own findings say so, or another GPU of the chip has it.
local function has_section(e, section)
  local there, why = true, nil
  if section.when then there, why = section.when(e) end
  return there or not section.memory and e.like and e.like.sections[section.name], why
end

local function lines_of(e, section, made)
  e.asked = {}
  local there, why = has_section(e, section)
  local rows = there and section.make and section.make(e)
  -- Of a device that has the section other findings said so; what operations lack they assume as others of their unit.
  tell_missing(e, made, section.name, e.asked, there)
  if there then return rows and op_lines(likeness.operations(e, rows), made) or section_lines(e, section, made) end
  made.unknown[#made.unknown + 1] = { path = section.name, why = why or "not seen, or nothing measured it" }
  return {}
end

local function write_sections(e, sections, made, text)
  local written = {}
  for _, section in ipairs(sections) do
    write_lines(section.name, lines_of(e, section, made), text)
    written[section.name] = true
  end
  for _, name in ipairs(e.like and e.like.order or {}) do
    if not written[name] then write_lines(name, other_lines(e, name, made, {}), text) end
  end
end

local function write_unknown(made, text)
  if #made.unknown == 0 then return end
  add(text, "\n-- Not known:")
  for _, one in ipairs(made.unknown) do add(text, "--   %s: %s", one.path, (one.why:gsub("%s+", " "))) end
end

local function all_sections()
  local all = {}
  for _, name in ipairs(TABLES) do
    for _, section in ipairs(use(name)) do all[#all + 1] = section end
  end
  return all
end

local function evidence(input, sections)
  local e = { input = input, facts = facts_of(input.devices), by = index(input.findings), rows = {}, fields = {}, used = {}, missed = {}, asked = {} }
  for name, method in pairs(Evidence) do e[name] = method end
  begin(e, sections)
  return e
end

-- Another GPU of the chip: its file, and what its findings give without it.
local function like_of(input, sections)
  local other = input.like
  if not other then return nil end
  other.settings, other.operations, other.costed = input.settings, input.operations, input.costed
  return likeness.of(other, evidence(other, sections))
end

function M.make(input)
  local sections = all_sections()
  local e = evidence(input, sections)
  e.like = like_of(input, sections)
  local made = { unknown = {}, missing = {}, count = { measured = 0, assumed = 0 } }
  local text = {}
  add(text, "-- %s: made by `gpx twin` from measurements of it. A value carries the finding that it is from, with", input.title)
  add(text, "-- its interval, the device and the date; `assumed` says why a value was chosen where no finding gives one.")
  if e.like then add(text, "-- What ends with `as on the %s` is from the file of that GPU, which is of the same chip.", e.like.name) end
  add(text, "return {\n  name = %s,\n  title = %s,", quoted(input.name), quoted(input.title .. ", a twin"))
  write_sections(e, sections, made, text)
  add(text, "}")
  write_unknown(made, text)
  return { text = table.concat(text, "\n") .. "\n", unknown = made.unknown, missing = made.missing,
           measured = made.count.measured, assumed = made.count.assumed }
end

return M
