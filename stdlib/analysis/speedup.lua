-- speedup(base = "naive", name = "svm"): times of the versions of one computation, and whether
-- occupancy tells them apart.
--
-- Each measure is a version; `base` names the one that the others are compared with.
-- Arguments that name measures: base.
-- Arguments that must be given: base, name.
-- Covered by tests/runtime/mwp_cwp_test.cpp.

local pick = use "parts/select"
local rows = use "parts/mwp_cwp_rows"

local M = {}

local SAME, DIFFERENT = 1.01, 1.5   -- ratios of occupancies, and of times

-- The axes of a point without the measure: what two versions must share to be compared.
local function place(samples, row) return (rows.key(samples, row, "measure")) end

local function report_speedup(input, name, base, version, all)
  local at, ratios = {}, {}
  for _, row in ipairs(all) do
    if row.measure == base then at[place(input.samples, row)] = row.time end
  end
  for _, row in ipairs(all) do
    local other = at[place(input.samples, row)]
    if row.measure == version and other then ratios[#ratios + 1] = other / row.time end
  end
  local finding_name = string.format("%s.speedup[version=%s]", name, version)
  if #ratios == 0 then
    return pick.inconclusive(finding_name, nil, "no point has a time of both versions")
  end
  local low, high = stats.min(ratios), stats.max(ratios)
  finding { name = finding_name, value = stats.median(ratios), low = low, high = high,
            note = string.format("median over %d points of the time of %s over that of %s, from " ..
                                 "%.2f to %.2f", #ratios, base, version, low, high) }
end

-- The two launches whose occupancies agree and whose times differ most.
local function report_occupancy(input, name, all)
  local worst, a, b = 1, nil, nil
  for i, one in ipairs(all) do
    for j = i + 1, #all do
      local other = all[j]
      local occupancy = math.max(one.occupancy / other.occupancy, other.occupancy / one.occupancy)
      local time = math.max(one.time / other.time, other.time / one.time)
      if occupancy <= SAME and time > worst then worst, a, b = time, one, other end
    end
  end
  local finding_name = name .. ".occupancy_predicts"
  if not a then
    return pick.inconclusive(finding_name, nil, "no two launches have the same occupancy")
  end
  finding { name = finding_name, value = worst < DIFFERENT,
            note = string.format("with an occupancy of %.2f: %.3g s (%s) and %.3g s (%s)", a.occupancy,
                                 a.time, rows.key(input.samples, a), b.time,
                                 rows.key(input.samples, b)) }
end

function M.run(input)
  pick.only(input, "speedup", { "base", "name" })
  local base, name = pick.text(input, "base"), pick.text(input, "name")
  if not (base and name) then
    error("speedup needs base = \"MEASURE\" and a name for its findings: name = \"svm\"", 0)
  end
  pick.need(input.samples, "time", "observe time")
  pick.need(input.samples, "measure", "have a measure for each version")
  pick.measure(input.samples, base)
  local all = input.samples:having("time"):reduce(input.reduce):rows()
  for _, version in ipairs(input.samples:distinct("measure")) do
    if version ~= base then report_speedup(input, name, base, version, all) end
  end
  if input.samples:has("occupancy") then report_occupancy(input, name, all) end
end

return M
