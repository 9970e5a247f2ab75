-- What instructions cost: each operation that was measured gives the row of its PTX instruction, and one stands for
-- each unit. An SM's executions of threads a clock are warps of 32 lanes apart by 32 over them.

local LANES = 32

-- The operation that stands for a unit's other instructions; the next one where it was not measured.
local UNITS = {
  { "alu", { "xor.b32", "and.b32", "add.u32" } },
  { "fp64", { "fma.rn.f64", "add.f64" } },
  { "sfu", { "rsqrt.approx.f32", "ex2.approx.f32" } },
  { "warp", { "shfl.bfly.b32", "shfl.idx.b32" }, { 24, 1 } },
  { "branch", {}, { 12, 1 } },
  { "tensor", { "mma.m16n8k16.f32.f16", "mma.m16n8k8.f32.tf32", "mma.m16n8k8.f32.f16" } },
}

-- Rows of the pipes of machine code, and an operation of one such instruction. `less`: clocks of the operation that
-- are another instruction's; `either`: the operation takes two pipes in turn.
local PIPES = {
  { "sass.alu", "min.u32" }, { "sass.fma", "fma.rn.f32", either = 2 }, { "sass.imad", "mad.lo.u32" },
  { "sass.wide", "mul.hi.u32" }, { "sass.half", "add.f16" }, { "sass.fp64", "add.f64" },
  { "sass.dfma", "fma.rn.f64" }, { "sass.mufu", "ex2.approx.f32" }, { "sass.convert", "popc.b32" },
  { "sass.convert.64", "cvt.rni.f64" }, { "sass.shuffle", "shfl.bfly.b32" }, { "sass.match.any", "match.any.b32" },
  { "sass.match.all", "match.all.b32" }, { "sass.redux", "redux.add.u32", less = 6 },
  { "sass.atoms", "atom.shared.add.u32" }, { "sass.atoms.cas", "atom.shared.cas.b32" },
  { "sass.hmma.1684", "mma.m16n8k4.f32.tf32" }, { "sass.hmma.1688", "mma.m16n8k8.f32.f16" },
  { "sass.hmma.1688.tf32", "mma.m16n8k8.f32.tf32" }, { "sass.hmma.16816", "mma.m16n8k16.f32.f16" },
  { "sass.hmma.sp.1688", "mma.sp.m16n8k8.f32.tf32" }, { "sass.hmma.sp.16816", "mma.sp.m16n8k16.f32.f16" },
  { "sass.hmma.sp.16816.tf32", "mma.sp.m16n8k16.f32.tf32" }, { "sass.hmma.sp.16832", "mma.sp.m16n8k32.f32.f16" },
  { "sass.imma.8816", "mma.m8n8k16.s32.s8" }, { "sass.imma.16816", "mma.m16n8k16.s32.s8" },
  { "sass.imma.16832", "mma.m16n8k32.s32.s8" }, { "sass.imma.sp.16832", "mma.sp.m16n8k32.s32.s8" },
  { "sass.imma.sp.16864", "mma.sp.m16n8k64.s32.s8" }, { "sass.bmma.88128", "mma.m8n8k128.s32.b1" },
  { "sass.bmma.168128", "mma.m16n8k128.s32.b1" }, { "sass.bmma.168256", "mma.m16n8k256.s32.b1" },
  { "sass.dmma.8x8x4", "mma.m8n8k4.f64" }, { "sass.dmma.16x8x4", "mma.m16n8k4.f64" },
  { "sass.dmma.16x8x8", "mma.m16n8k8.f64" }, { "sass.dmma.16x8x16", "mma.m16n8k16.f64" },
}
-- Those that no operation has alone, or as another row.
local PIPES_ASSUMED = {
  { "sass.half.mma", as = "sass.half" }, { "sass.imma.8832", as = "sass.imma.8816" },
  { "sass.imma.16864", as = "sass.imma.16832" },
  { "sass.uniform", 4, 0.5, "two clocks of a partition" }, { "sass.memory", 1, 0.5, "two clocks of a partition" },
  { "sass.constant", 30, 0.5, "a constant that is at hand" }, { "sass.special", 20, 1, "no operation of its kind alone" },
  { "sass.branch", 5, 0.5, "as of an H100: activemask.b32 has one" },
}

-- Instructions without an operation of their own cost what their neighbour does.
local SAME = {
  { "add.s64", "add.u64" }, { "sub.s64", "sub.u64" }, { "mul.wide.s32", "mul.wide.u32" }, { "mad.hi.s32", "mad.hi.u32" },
  { "mul.lo.s64", "mul.lo.u64" }, { "mad.lo.s64", "mad.lo.u64" }, { "mul.hi.s64", "mul.hi.u64" },
  { "div.s64", "div.u64" }, { "rem.s64", "rem.u64" }, { "min.s64", "min.u64" }, { "max.u64", "max.s64" },
}

-- Words of an instruction that a row need not name.
local PLAIN = { rn = true, ftz = true, wrap = true }

local function words_without(name, left_out)
  local words = {}
  for word in name:gmatch "[^.]+" do
    if not left_out[word] then words[#words + 1] = word end
  end
  return table.concat(words, ".")
end

-- "add.u32" of "@{g} add.u32 {r}, {r}, {x} "
local function opcode_of(statement)
  if statement:sub(1, 1) == "@" then statement = statement:sub(statement:find(" ", 1, true) + 1) end
  return statement:sub(1, statement:find(" ", 1, true) - 1)
end

-- The one instruction of an operation that takes time; nil where several do.
local function instruction_of(ptx)
  local found
  for statement in ptx:gmatch "[^;]+" do
    local opcode = opcode_of((statement:gsub("^ +", "")) .. " ")
    if opcode ~= "" and opcode ~= "mov.b64" then
      if found then return nil end
      found = opcode
    end
  end
  return found
end

-- The row of a device file for an operation; nil: it has none.
local function row_of(e, operation)
  local instruction = instruction_of(operation.ptx)
  if not instruction then return nil end
  local last = operation.name:match "[^.]+$"
  for _, name in ipairs { words_without(instruction, PLAIN), operation.name, operation.name .. "." .. last, instruction } do
    if e.input.costed[name] then return name end
  end
end

local function near_whole(value)
  local whole = (value + 0.5) // 1
  return math.abs(value - whole) < 0.05 and whole or value
end

local function interval_text(finding)
  return finding.low and finding.high and string.format(" (%.6g to %.6g)", finding.low, finding.high) or ""
end

-- Latency and interval of an operation, with what they are from; nil without a latency. `unit`: whose interval counts
-- where the throughput is not known.
local function cost(e, operation, unit)
  local latency, rate = e:find("op." .. operation .. ".latency"), e:find("op." .. operation .. ".throughput")
  if not latency or latency.value < 1 then return nil end
  local row = { latency = near_whole(latency.value), place = latency.place }
  row.source = string.format("op.%s.latency %.6g%s", operation, latency.value, interval_text(latency))
  if rate and rate.value > 0 then
    row.interval = LANES / rate.value
    row.source = string.format("%s, op.%s.throughput %.6g%s", row.source, operation, rate.value, interval_text(rate))
  elseif unit then
    row.interval = unit.interval
    row.source = row.source .. ", the interval as its unit's"
  end
  return row.interval and row or nil
end

local function put(rows, known, name, row, assumed)
  if not row or known[name] then return end
  local one = { name = name, latency = row.latency, interval = row.interval, source = row.source, place = row.place,
                assumed = assumed }
  rows[#rows + 1], known[name] = one, one
end

local function units(e, rows, known)
  for _, unit in ipairs(UNITS) do
    for _, operation in ipairs(unit[2]) do put(rows, known, unit[1], cost(e, operation)) end
    local default = unit[3]
    if default then
      put(rows, known, unit[1], { latency = default[1], interval = default[2] }, "no operation of it was measured alone")
    elseif unit[1] ~= "tensor" then
      local alu = known.alu or { latency = 4, interval = 0.5 }
      put(rows, known, unit[1], { latency = alu.latency, interval = alu.interval }, "as alu: no operation of it was measured")
    end
  end
end

local function pipes(e, rows, known)
  for _, pipe in ipairs(PIPES) do
    local row = e.input.costed[pipe[1]] and cost(e, pipe[2])
    if row then
      row.latency = math.max(1, row.latency - (pipe.less or 0))
      if pipe.less then row.source = string.format("%s: less %d clocks of another instruction", row.source, pipe.less) end
      row.interval = row.interval * (pipe.either or 1)
      put(rows, known, pipe[1], row)
    end
  end
  for _, pipe in ipairs(PIPES_ASSUMED) do
    local row = pipe.as and known[pipe.as] or not pipe.as and { latency = pipe[2], interval = pipe[3] }
    if row and e.input.costed[pipe[1]] then put(rows, known, pipe[1], row, pipe[4] or "as " .. pipe.as) end
  end
end

-- A ballot is measured behind a comparison.
local function ballot(e, rows, known)
  local row = cost(e, "vote.ballot.b32", known.warp)
  if not row or not known.alu then return end
  row.latency = math.max(1, row.latency - known.alu.latency)
  row.source = row.source .. ": less the comparison before it"
  put(rows, known, "vote.sync.ballot.b32", row)
end

local function make(e)
  local rows, known = {}, {}
  units(e, rows, known)
  if e.facts.code == "SASS" and e:capability() == 90 then pipes(e, rows, known) end
  for _, operation in ipairs(e.input.operations) do
    local name = row_of(e, operation)
    if name then put(rows, known, name, cost(e, operation.name, known[operation.unit])) end
  end
  ballot(e, rows, known)
  for _, pair in ipairs(SAME) do
    if e.input.costed[pair[1]] then put(rows, known, pair[1], known[pair[2]], "as " .. pair[2]) end
  end
  return rows
end

return { { name = "op", make = make } }
