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
-- are other instructions'; `interval`: where the operation's is theirs; `but`: an operation that it has done besides;
-- `either`: it takes two pipes in turn.
local PIPES = {
  { "sass.alu", "min.u32" }, { "sass.fma", "fma.rn.f32", either = 2 }, { "sass.imad", "mad.lo.u32" },
  { "sass.wide", "mul.hi.u32" }, { "sass.half", "add.f16" }, { "sass.fp64", "add.f64" },
  { "sass.dfma", "fma.rn.f64" }, { "sass.mufu", "ex2.approx.f32" }, { "sass.convert", "popc.b32" },
  { "sass.convert.64", "cvt.rni.f64" }, { "sass.shuffle", "shfl.bfly.b32" }, { "sass.match.any", "match.any.b32" },
  { "sass.match.any.64", "match.any.b64" }, { "sass.match.all", "match.all.b32" }, { "sass.redux", "redux.add.u32", less = 6 },
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
  { "sass.memory.store.1", "stmatrix.x1", but = "ldmatrix.x1" },
  { "sass.memory.store.2", "stmatrix.x2", but = "ldmatrix.x2" },
  { "sass.memory.store.4", "stmatrix.x4", but = "ldmatrix.x4" }, { "sass.memory.sync", "mbarrier.test_wait" },
  { "sass.special.signal", "griddepcontrol.launch_dependents" }, { "sass.alu.clock", "clock", less = 13 },
  -- A branch that jumps, and 34 clocks of the product and sums before it.
  { "sass.branch.sync", "div.rn.f32", less = 44, interval = 0.25 },
}
-- Those that no operation has alone, or as another row.
local PIPES_ASSUMED = {
  { "sass.half.mma", as = "sass.half" }, { "sass.imma.8832", as = "sass.imma.8816" },
  { "sass.imma.16864", as = "sass.imma.16832" },
  { "sass.uniform", 4, 0.5, "two clocks of a partition" }, { "sass.memory", 1, 0.5, "two clocks of a partition" },
  { "sass.constant", 30, 0.5, "a constant that is at hand" },
  { "sass.special", 20, 2, "as of an H200 by hand (docs/results/h200/block_starts.csv)" },
  { "sass.special.uniform", 33, 1, "as of an H200 by hand (docs/results/h200/mechanisms.csv, nosync)" },
  { "sass.branch", 10, 0.25, "taken, as of an H200 by hand (docs/results/h200/near_chains.csv, chain; branches.csv)" },
  { "sass.branch.register", 40, 5, "as of an H200 by hand (docs/results/h200/near_paths.csv)" },
  { "sass.vote", 36, 4.7, "as of an H200 by hand (docs/results/h200/near_chains.csv, barrier count)" },
}

-- Instructions without an operation of their own cost what their neighbour does.
local SAME = {
  { "add.s64", "add.u64" }, { "sub.s64", "sub.u64" }, { "mul.wide.s32", "mul.wide.u32" }, { "mad.hi.s32", "mad.hi.u32" },
  { "mul.lo.s64", "mul.lo.u64" }, { "mad.lo.s64", "mad.lo.u64" }, { "mul.hi.s64", "mul.hi.u64" },
  { "div.s64", "div.u64" }, { "rem.s64", "rem.u64" }, { "min.s64", "min.u64" }, { "max.u64", "max.s64" },
}

-- Words of an instruction that a row need not name.
local PLAIN = { rn = true, ftz = true, wrap = true }
local ROUNDED = { rn = true, rni = true, rzi = true, ftz = true }

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

-- The instructions of an operation that take time.
local function instructions_of(ptx)
  local found = {}
  for statement in ptx:gmatch "[^;]+" do
    local opcode = opcode_of((statement:gsub("^ +", "")) .. " ")
    if opcode ~= "" and opcode ~= "mov.b64" then found[#found + 1] = opcode end
  end
  return found
end

-- The first of these names that a device file may have a row for.
local function costed(e, ...)
  for _, name in ipairs { ... } do
    if e.input.costed[name] then return name end
  end
end

-- The row of a device file for an operation of one instruction; nil: it has none.
local function row_of(e, operation)
  local instructions = instructions_of(operation.ptx)
  if #instructions ~= 1 then return nil end
  local last = operation.name:match "[^.]+$"
  return costed(e, words_without(instructions[1], PLAIN), operation.name, operation.name .. "." .. last, instructions[1])
end

-- The rows of an operation of two instructions, such as a conversion there and back.
local function two_rows_of(e, operation)
  local instructions = instructions_of(operation.ptx)
  if #instructions ~= 2 then return nil end
  local rows = {}
  for i, instruction in ipairs(instructions) do rows[i] = costed(e, words_without(instruction, ROUNDED), instruction) end
  return rows[1] and rows[2] and rows[1] ~= rows[2] and rows
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

-- What a barrier that counts takes more than one that does not, of one warp; and what each further warp takes.
local function vote(e)
  local one, some, all = e:find "rate.votes", e:find "rate.votes_of_16_warps", e:find "rate.votes_of_32_warps"
  local hz, barrier = e:fact "clock_hz", e:got "barrier.latency"
  if not (one and some and all and hz and barrier) then return nil end
  return { latency = math.max(1, one.value * hz - barrier), interval = math.max(0.5, (all.value - some.value) * hz / 16),
           source = "rate.votes, rate.votes_of_16_warps, rate.votes_of_32_warps: of one warp less a barrier, and by warps",
           place = one.place }
end

-- The row of a pipe, without what other instructions of the operation take.
local function pipe_row(e, pipe)
  local row, other = cost(e, pipe[2]), pipe.but and cost(e, pipe.but)
  if not row or pipe.but and not other then return nil end
  if pipe.less then row.latency = math.max(1, (row.latency - pipe.less + 0.5) // 1) end
  if pipe.less then row.source = string.format("%s: less %d clocks of other instructions", row.source, pipe.less) end
  row.interval = (pipe.interval or row.interval) * (pipe.either or 1)
  if other then
    row.latency, row.interval = math.max(1, row.latency - other.latency), math.max(0.5, row.interval - other.interval)
    row.source = string.format("%s; less %s", row.source, other.source)
  end
  return row
end

-- What each further of 32 lanes takes that arrive at an mbarrier. A test follows the arrival.
local function further_arrival(e, known)
  local both, one, arrive = cost(e, "mbarrier.arrive.test_wait"), known["sass.memory.sync"], e:find "mbarrier.arrive"
  if not both or not one or not arrive then return nil end
  return { latency = math.max(1, near_whole((both.latency - arrive.value - one.latency) / (LANES - 1))),
           interval = math.max(0, both.interval - 2 * one.interval) / (LANES - 1), place = both.place,
           source = both.source .. ": less an arrival of one lane and a test, by further lanes" }
end

-- What a pair of registers to be added takes more of its pipe: of two operations that differ in that.
local function wide_sum(e, known)
  local with, without, product = cost(e, "mad.lo.u64"), cost(e, "mul.lo.u64"), known["sass.wide"]
  if not with or not without or not product then return nil end
  local more = math.max(0, with.interval - without.interval)
  return { latency = product.latency, interval = product.interval + more, place = with.place,
           source = string.format("as sass.wide; %s; less %s", with.source, without.source) }
end

local function pipes(e, rows, known)
  for _, pipe in ipairs(PIPES) do
    if e.input.costed[pipe[1]] then put(rows, known, pipe[1], pipe_row(e, pipe)) end
  end
  if e.input.costed["sass.memory.sync.lane"] then
    put(rows, known, "sass.memory.sync.lane", further_arrival(e, known))
  end
  if e.input.costed["sass.wide.sum"] then put(rows, known, "sass.wide.sum", wide_sum(e, known)) end
  if e.input.costed["sass.vote"] then put(rows, known, "sass.vote", vote(e)) end
  for _, pipe in ipairs(PIPES_ASSUMED) do
    local row = pipe.as and known[pipe.as] or not pipe.as and { latency = pipe[2], interval = pipe[3] }
    if row and e.input.costed[pipe[1]] then put(rows, known, pipe[1], row, pipe[4] or "as " .. pipe.as) end
  end
end

-- Each of two instructions has half of what both take.
local function halves(e, rows, known, operation)
  local names = two_rows_of(e, operation)
  if not names or known[names[1]] or known[names[2]] then return end
  local both = cost(e, operation.name, known[operation.unit])
  if not both or both.latency < 2 then return end
  local first = math.ceil(both.latency / 2)
  for i, latency in ipairs { first, both.latency - first } do
    put(rows, known, names[i], { latency = latency, interval = both.interval / 2, place = both.place,
                                 source = both.source .. ": half of what " .. names[1] .. " and " .. names[2] .. " take" })
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
  if e:code() then pipes(e, rows, known) end
  for _, operation in ipairs(e.input.operations) do
    local name = row_of(e, operation)
    if name then put(rows, known, name, cost(e, operation.name, known[operation.unit])) end
  end
  for _, operation in ipairs(e.input.operations) do halves(e, rows, known, operation) end
  ballot(e, rows, known)
  for _, pair in ipairs(SAME) do
    if e.input.costed[pair[1]] then put(rows, known, pair[1], known[pair[2]], "as " .. pair[2]) end
  end
  return rows
end

return { { name = "op", make = make } }
