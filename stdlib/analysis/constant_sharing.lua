-- constant_sharing(what = "scope"): who shares the caches of constant memory, SM by SM, and whether
-- code passes through them too (Wong 2010, sections IV-J4 and IV-J5). `what` asks for one of the two:
-- "scope", "code".
--
-- A block on SM 0 reads what just fits into a level, over and over. A block on another SM reads as
-- much of an array of its own, or runs code. Where both use the level, they displace each other, and
-- the first block waits; where they do not, nothing changes. That two that together fit do not
-- disturb each other tells displacement from a queue. A level that constant memory does not fill is
-- asked otherwise: SM 0 reads, then another SM reads the same for the first time, and again. Where
-- both use the level, both times take alike (stdlib/probes/constant_visits.cu).
-- Covered by tests/experiments/sharing_planted_test.cpp and h100_test.cpp.

local constants = use "parts/constants"
local pick = use "parts/select"
local M = {}

local CODE = 128 << 10   -- bytes: more than any cache of code that has been described
local SMALL_CODE = 512   -- and less
local LEAST = 32         -- bytes: no line is smaller
local YES, NO = 0.2, 0.05  -- of the way from this level's latency to the next one's
local MOST_SMS = 40      -- that are all asked; of more the first ones and every fourth
local TIMES = 2          -- the size that the nearer level no longer answers: what first visits read
local LINE = 64          -- bytes between two of them: no line of constants is smaller on what runs kernels
local ALIKE, APART = 0.1, 0.25   -- of a hit: what first visits take more where the level is shared (H200: 0.0), and where
                         -- it is not, at least (H200: 0.48)
local NEVER = 0x5a5a5a5b
local SITTINGS = 5       -- times that two blocks which both fit are asked: what else disturbs them comes and goes
local FIT = { 4, 2 }     -- parts of it that each of them reads: a set may be full before the level is

local function asked(count)
  local out = {}
  for sm = 0, count - 1 do
    if count <= MOST_SMS or sm < 16 or sm % 4 == 0 then out[#out + 1] = sm end
  end
  return out
end

-- "yes", "no" or "unclear": how far a latency has risen.
local function judge(risen, room, noise)
  if risen <= math.max(NO * room, 2 * noise) then return "no" end
  if risen >= math.max(YES * room, 4 * noise) then return "yes" end
  return "unclear"
end

-- A footprint that the level answers, and that two blocks cannot both have.
local function footprint(level)
  local bytes = math.max(level.high * 7 // 8, level.low) // LEAST * LEAST
  return math.min(bytes, 32 << 10), bytes
end

-- A smaller one that two blocks can both have; nil: the nearer level would answer it.
local function part_of(level, bytes)
  for _, of in ipairs(FIT) do
    local part = bytes // of // LEAST * LEAST
    if part >= level.low then return part end
  end
end

local UNDISTURBED = "two blocks on one SM that read %d B each do not displace what the other reads"

local function unknown(name, note) pick.inconclusive(name, nil, note) end

-- What a block that reads as much on the same SM costs, at least.
local function least_rise(bytes)
  local least = math.huge
  for _ = 1, SITTINGS do
    local alone = constants.latency(bytes, 0, { constants.chaser(0, 32) })
    least = math.min(least, constants.latency(bytes, 0, { constants.chaser(0, bytes) }) - alone)
  end
  return least
end

local function scope_of(name, level, noise, device)
  if device.sm_count == 1 then return unknown(name, "there is one SM: nobody to share it with") end
  local bytes, wanted = footprint(level)
  if wanted > bytes then
    return unknown(name, "two blocks cannot fill it: constant memory has 64 KB in all")
  end
  local room = level.beyond - level.latency
  local shared, count, unclear = {}, 0, {}
  local sms = asked(device.sm_count)
  for _, sm in ipairs(sms) do
    local alone = constants.latency(bytes, 0, { constants.chaser(sm, 32) })
    local both = constants.latency(bytes, 0, { constants.chaser(sm, bytes) })
    local answer = judge(both - alone, room, noise)
    if answer == "yes" then
      shared[sm] = true
      count = count + 1
    elseif answer == "unclear" then
      unclear[#unclear + 1] = sm
    end
  end
  if #unclear > 0 then
    return unknown(name, string.format("a block on SM %d disturbs it less than displacement would, but "
      .. "more than chance", unclear[1]))
  end
  if not shared[0] then return unknown(name, string.format(UNDISTURBED, bytes)) end
  local part = part_of(level, bytes)
  if part and judge(least_rise(part), room, noise) ~= "no" then
    return unknown(name, "two blocks disturb each other also where both fit: that may be a queue")
  end
  local list = {}
  for _, sm in ipairs(sms) do if shared[sm] then list[#list + 1] = sm end end
  local value = count == 1 and "SM" or count == #sms and "GPU" or "TPC"
  finding { name = name, value = value,
            note = string.format("blocks that read %d B each: those on SM %s displace what one on SM 0 "
              .. "reads, of %d SMs that were tested", bytes, table.concat(list, ", "), #sms) }
end

-- Where only a small part of the level is free, little code displaces something.
local function sharing_of(name, level, noise)
  local bytes = footprint(level)
  local alone = constants.latency(bytes, 0, { constants.chaser(0, LEAST) })
  local both = constants.latency(bytes, 0, { constants.chaser(0, bytes) })
  if judge(both - alone, level.beyond - level.latency, noise) ~= "yes" then
    return unknown(name, string.format(UNDISTURBED, bytes))
  end
  local quiet = constants.latency(bytes, 0, { { sm = 0, code = SMALL_CODE } })
  local loud = constants.latency(bytes, 0, { { sm = 0, code = CODE } })
  local answer = judge(loud - quiet, level.beyond - level.latency, noise)
  if answer == "unclear" then
    return unknown(name, "code on the same SM disturbs it less than displacement would, but more than "
      .. "chance")
  end
  finding { name = name, value = answer == "yes" and "instruction" or "none",
            note = string.format("%.1f clocks an access with %d B of code on the same SM, %.1f with "
              .. "%d B", loud, CODE, quiet, SMALL_CODE) }
end

-- What one SM's first visits take after SM 0 has read the same, and its next ones, each in clocks of all of them.
local function visits(device, count, other)
  local words = probe.kernel {
    name = "constant_visits", arrays = {}, lists = {}, scalars = { count, LINE, 0, other, NEVER }, results = 6,
    blocks = 2 * math.floor(device.sm_count), fewer = 0, threads = 32,
  }
  if words[6] ~= 0 then error("the words that one SM read after another were not all zero", 0) end
  return words[1], words[2]
end

-- Who shares the level that answers what the last known one does not hold, where no working set fills it. Nothing is
-- said where all SMs share it: that may be L2, or memory.
local function scope_by_visits(name, nearer, device)
  local count, sms = TIMES * nearer.high // LINE, math.floor(device.sm_count)
  if sms == 1 or 2 * count * LINE > 64 << 10 then return end
  local list = { 0 }
  for other = 1, sms - 1 do
    local first, again = visits(device, count, other)
    if first > (1 + ALIKE) * again and first < (1 + APART) * again then
      return unknown(name, string.format("what SM 0 has read takes SM %d %.1f clocks the first time and %.1f the next: " ..
        "neither a hit nor a miss", other, first / count, again / count))
    elseif first <= (1 + ALIKE) * again then
      list[#list + 1] = other
    end
  end
  if #list == sms then return end
  local whom = #list == 1 and "of every other SM take longer than its next ones"
    or string.format("of SM %s take as long as its next ones, of the other %d SMs longer", table.concat(list, ", ", 2),
                     sms - #list)
  finding { name = name, value = #list == 1 and "SM" or #list == 2 and "TPC" or string.format("%d SMs", #list),
            note = string.format("%d B that SM 0 has read: first visits %s", count * LINE, whom) }
end

function M.run(input)
  if not probe then error("constant_sharing runs chases of its own, which need the device", 0) end
  local levels, noise, count, reason = constants.levels()
  if count == 0 then reason = "the latency does not depend on the size: no cache is seen" end
  if reason then return unknown("const.l1.scope", reason) end
  local known = {}
  for _, level in ipairs(levels) do known[level.number] = level end
  for number = 1, count do
    local name, level = string.format("const.l%d.", number), known[number]
    local hidden = not level and "no working set hits in it"
    if input.args.what ~= "code" then
      if hidden then unknown(name .. "scope", hidden)
      else scope_of(name .. "scope", level, noise, input.device) end
    end
    if input.args.what ~= "scope" then
      if hidden then unknown(name .. "shared_with", hidden)
      else sharing_of(name .. "shared_with", level, noise) end
    end
  end
  local last = known[count]
  if input.args.what ~= "code" and last and input.device.max_threads_per_block > 0 then
    scope_by_visits(string.format("const.l%d.scope", count + 1), last, input.device)
  end
end

return M
