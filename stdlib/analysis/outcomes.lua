-- outcomes(listing4 = "simt.listing4", listing6 = "barrier.listing6", ...): how launches ended.
--
-- Each argument is a measure and the name of its finding. Covered by
-- tests/runtime/inference_outcome_test.cpp.

local pick = use "parts/select"

local M = {}

-- How often each outcome occurred, as text, and the only one if there is only one.
local function tally(outcomes)
  local counts, order = {}, {}
  for _, outcome in ipairs(outcomes) do
    if not counts[outcome] then counts[outcome], order[#order + 1] = 0, outcome end
    counts[outcome] = counts[outcome] + 1
  end
  table.sort(order)
  local text = {}
  for i, outcome in ipairs(order) do text[i] = string.format("%d %s", counts[outcome], outcome) end
  return table.concat(text, ", "), #order == 1 and order[1] or nil
end

function M.run(input)
  local measures = {}
  for measure in pairs(input.args) do measures[#measures + 1] = measure end
  table.sort(measures)
  if #measures == 0 then
    error("the arguments must name a measure and its finding: listing4 = \"simt.listing4\"", 0)
  end
  pick.need(input.samples, "outcome", "have a watchdog or registers")
  for _, measure in ipairs(measures) do
    local samples = pick.measure(input.samples, measure)
    -- A timeline has a row for each stamp: a launch counts once.
    local outcomes = {}
    for _, launch in ipairs(pick.launches(samples)) do
      outcomes[#outcomes + 1] = launch.samples:column("outcome")[1]
    end
    local note, only = tally(outcomes)
    local name = pick.text(input, measure)
    local evidence = { pick.point(input.samples, { measure = measure }) }
    if only and only ~= "" then
      finding { name = name, value = only, note = note, evidence = evidence }
    else
      pick.inconclusive(name, nil, "launches ended differently: " .. note, evidence)
    end
  end
end

return M
