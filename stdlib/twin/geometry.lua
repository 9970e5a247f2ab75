-- What the fields of all levels of caches and TLBs have in common.

local POLICIES = { LRU = "lru", FIFO = "fifo", PLRU = "plru", SRRIP = "srrip", random = "random", NRU = "qlru" }
local SCOPES = { SM = "sm", TPC = "tpc", GPC = "gpc", GPU = "gpu" }
local M = {}

function M.scope(e, name)
  local word = e:v(name)
  if type(word) ~= "string" then return nil end
  return SCOPES[word] or (word:match "^%d+ SMs$" and "gpc") or nil
end

local function policy_name(e, prefix)
  local name = e:v(prefix .. "policy")
  if type(name) ~= "string" then return nil end
  if name:match "^AGED" then return "aged" end
  if name:match "^QLRU" then return "qlru" end
  return POLICIES[name]
end

-- A part of the policy's name. Where that is missing, the policy's own row tells.
local function quad_age(prefix, pattern)
  return function(e)
    local finding = e.by[prefix .. "policy"]
    local name = finding and finding.verdict == "measured" and e:v(prefix .. "policy")
    if name == "NRU" then return pattern == "H%d%d" and "H00" or pattern == "M%d" and "M1" or nil end
    return type(name) == "string" and name:match "^QLRU" and name:match(pattern) or nil
  end
end

-- Bits that select the set, where they are as many as the sets need: from the finding, or from the note of the sets
-- where each is an exclusive or ("address bits 7^16^17, 8^17").
local function set_bits(prefix, section)
  return function(e)
    local sets = e:got(section .. ".sets_")
    local bits = e:may(prefix .. "set_bits")
    if type(bits) ~= "table" then
      local finding = e:find(prefix .. "sets")
      local text = finding and finding.note:match "^address bits ([%d%^, ]+)"
      if not text then return nil end
      bits = {}
      for word in text:gmatch "[%d%^]+" do
        local one = {}
        for bit in word:gmatch "%d+" do one[#one + 1] = tonumber(bit) end
        bits[#bits + 1] = #one == 1 and one[1] or one
      end
    end
    if not sets or 2 ^ #bits ~= sets then return nil end
    return bits
  end
end

-- Ways of each set where they differ, and then neither a capacity nor ways.
local function unequal(prefix)
  return function(e)
    local sizes = e:may(prefix .. "set_sizes")
    return type(sizes) == "table" and #sizes > 1 and sizes or nil
  end
end

-- A capacity that is whole sets.
local function whole_sets(section, line, bytes)
  return function(e)
    if e:got(section .. ".set_sizes") then return nil end
    local size = bytes(e)
    local row = (line and e:got(section .. "." .. line) or 1) * (e:got(section .. ".ways") or 1)
    return size and math.max(row, (size / row + 0.5) // 1 * row)
  end
end

local function sets_of(section, size, line)
  return function(e)
    local bytes, ways = e:got(section .. "." .. size), e:got(section .. ".ways")
    return bytes and ways and bytes // ((line and e:got(section .. "." .. line) or 1) * ways)
  end
end

-- Rows that all levels have. o: section, prefix of the findings, line (the field), size (the field), bytes (function),
-- ways (assumed), line_assumed, why; memory: its size is not the chip's alone.
function M.rows(o)
  local section, prefix = o.section, o.prefix
  local entries = o.size == "entries"
  return {
    { field = o.line, unit = "B", finding = prefix .. o.line, assumed = o.line_assumed, why = o.why },
    { field = "set_sizes", unit = "list", value = unequal(prefix), optional = true },
    { field = o.size, unit = entries and "count" or "B", memory = o.memory, value = whole_sets(section, not entries and o.line, o.bytes),
      optional = true, how = "whole sets", assumed = o.assumed_size, why = o.why },
    { field = "ways", unit = "count", optional = true, assumed = o.ways, why = o.why,
      value = function(e)
        if e:got(section .. ".set_sizes") then return nil end
        return e:v(prefix .. "ways")
      end },
    { field = "sets_", unit = "hidden", optional = true, value = sets_of(section, o.size, not entries and o.line) },
    { field = "set_bits", unit = "bits", value = set_bits(prefix, section), optional = true,
      how = "address bits that select the set", assumed = o.set_bits, why = "no bits of it are known: it spreads evenly" },
    { field = "policy", unit = "word", optional = true, value = function(e) return policy_name(e, prefix) end },
    { field = "qlru_hit", unit = "word", optional = true, value = quad_age(prefix, "H%d%d") },
    { field = "qlru_insertion", unit = "word", optional = true, value = quad_age(prefix, "M%d") },
    { field = "qlru_replacement", unit = "word", optional = true, value = quad_age(prefix, "R%d") },
    { field = "qlru_update", unit = "word", optional = true, value = quad_age(prefix, "U%d") },
  }
end

-- What L1 and shared memory of an SM are together, and what a launch can give to the latter.
M.UNIFIED = 256 << 10
local SPLITS = { 0, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 100 << 10, 132 << 10, 164 << 10, 196 << 10, 228 << 10 }
function M.splits(e)
  local published = e:capability() == 90 and e:got "l1.capacity" == M.UNIFIED and e:got "sm.shared" == SPLITS[#SPLITS]
  return published and SPLITS or nil
end

local function with(rows, more)
  for _, row in ipairs(more) do rows[#rows + 1] = row end
  return rows
end
M.with = with

return M
