-- register_file(x = regs, threads = threads, at = 88): from which blocks launch.
--
-- A block launches where threads x registers, each rounded up to some multiple, fit into the file.
-- Every combination of multiples that explains all outcomes leaves an interval for the file's size;
-- what all of them agree on is measured (Wong 2010, Fig. 9). `at` is a number of registers whose
-- largest block is reported besides.
-- Arguments that must be given: x, threads.
-- Covered by tests/runtime/inference_outcome_test.cpp.

local pick = use "parts/select"

local M = {}

-- What threads and registers may be rounded up to: less than a warp in powers of two, then whole
-- warps.
local THREADS = { 1, 2, 4, 8, 16, 32, 64, 96, 128, 160, 192, 224, 256, 512 }
local REGISTERS = { 1, 2, 4, 8, 16, 32 }

-- The outcomes of each number of registers, by threads: { registers, sizes = { { threads, ok } } }.
-- Returns nil and why where the launches do not decide them.
local function outcomes(input, x, by)
  local list = {}
  for _, group in ipairs(input.samples:group(x)) do
    local one = { registers = group.key[x], sizes = {} }
    for _, size in ipairs(group.samples:group(by)) do
      local seen = size.samples:distinct("outcome")
      local place = string.format("%g threads of %g registers", size.key[by], one.registers)
      if #seen > 1 then return nil, place .. ": some launches fail, some do not" end
      if seen[1] == "deadlock" then return nil, place .. ": deadlock" end
      one.sizes[#one.sizes + 1] = { threads = size.key[by], ok = seen[1] == "completed" }
    end
    table.sort(one.sizes, function(a, b) return a.threads < b.threads end)
    for i, size in ipairs(one.sizes) do
      local before = one.sizes[i - 1]
      if before and size.ok and not before.ok then
        return nil, string.format("with %g registers %g threads fail and %g do not", one.registers,
                                  before.threads, size.threads)
      end
      if size.ok then one.most = size.threads else one.fails = one.fails or size.threads end
    end
    list[#list + 1] = one
  end
  table.sort(list, function(a, b) return a.registers < b.registers end)
  return list
end

local function up(value, multiple) return math.ceil(value / multiple) * multiple end

-- The largest need that was met and the smallest that was not, under one hypothesis. More registers
-- than a thread may have fail at every size, which says nothing about the file.
local function needs(list, threads, registers)
  local met, unmet = 0, math.huge
  for _, one in ipairs(list) do
    for _, size in ipairs(one.most and one.sizes or {}) do
      local need = up(size.threads, threads) * up(one.registers, registers)
      if size.ok then met = math.max(met, need) else unmet = math.min(unmet, need) end
    end
  end
  return met, unmet
end

-- Every hypothesis that explains all outcomes: { threads, registers, met, unmet }.
local function possible(list)
  local found = {}
  for _, threads in ipairs(THREADS) do
    for _, registers in ipairs(REGISTERS) do
      local met, unmet = needs(list, threads, registers)
      if met < unmet then
        found[#found + 1] = { threads = threads, registers = registers, met = met, unmet = unmet }
      end
    end
  end
  return found
end

-- A multiple that all hypotheses agree on.
local function report_multiple(name, unit, found, field)
  local least, most = math.huge, 0
  for _, one in ipairs(found) do
    least, most = math.min(least, one[field]), math.max(most, one[field])
  end
  if least == most then
    return finding { name = name, value = least, unit = unit, low = least, high = least,
                     confidence = 0.99, note = "no other multiple explains which blocks launch" }
  end
  pick.inconclusive(name, unit, string.format("multiples from %g to %g explain which blocks launch",
                                              least, most))
end

local function report_size(found)
  local best, low, high = found[1], math.huge, 0
  for _, one in ipairs(found) do
    low, high = math.min(low, one.met), math.max(high, one.unmet - 1)
    if one.met < best.met then best = one end
  end
  finding { name = "regfile.registers", value = best.met, unit = "registers", low = low,
            high = high, confidence = 0.99,
            note = string.format("registers of the largest block that launched; one of %g would " ..
                                 "not", best.unmet) }
end

local function report_block(list, x, by, at)
  for _, one in ipairs(list) do
    if one.registers == at then
      local name = string.format("regfile.max_threads[registers=%.15g]", at)
      if not one.most then
        return pick.inconclusive(name, "threads", "no block of that many registers launched")
      end
      return finding { name = name, value = one.most, unit = "threads", low = one.most,
                       high = one.fails and one.fails - 1,
                       evidence = { { [x] = at, [by] = one.most } },
                       note = one.fails and string.format("%g threads fail", one.fails)
                              or "no larger block was tried" }
    end
  end
  error(string.format("the sweep does not have %g registers", at), 0)
end

local function none(verdict, note)
  for _, each in ipairs { { "registers", "registers" }, { "thread_quantum", "threads" },
                          { "register_quantum", "registers" } } do
    finding { name = "regfile." .. each[1], unit = each[2], verdict = verdict, note = note }
  end
end

function M.run(input)
  pick.only(input, "register_file", { "x", "threads", "at" })
  local x = pick.axis(input, "x", "x = regs")
  local by = pick.axis(input, "threads", "threads = threads")
  local at = pick.count(input, "at")
  pick.need(input.samples, "outcome", "say how many registers a thread has")
  local list, why = outcomes(input, x, by)
  if not list then return none("inconclusive", why) end
  if at then report_block(list, x, by, at) end
  local limited = false
  for _, one in ipairs(list) do limited = limited or (one.most and one.fails) end
  if not limited then
    return none("not_observed", "no number of registers limits the block without forbidding it")
  end
  local found = possible(list)
  if #found == 0 then
    return none("inconclusive", "no register file, with threads and registers rounded up, " ..
                                "explains which blocks launch")
  end
  report_size(found)
  report_multiple("regfile.thread_quantum", "threads", found, "threads")
  report_multiple("regfile.register_quantum", "registers", found, "registers")
end

return M
