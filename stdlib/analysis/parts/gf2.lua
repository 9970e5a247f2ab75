-- Linear algebra over GF(2) on whole numbers as vectors of bits: spans, and the parities that are constant
-- on them. Used by parts/eviction.lua and parts/cache_sets.lua.
-- Covered by tests/experiments/eviction_test.cpp.

local lists = use "parts/lists"
local M = {}

function M.parity(n)
  local odd = 0
  while n ~= 0 do
    n = n & (n - 1)
    odd = 1 - odd
  end
  return odd
end

-- A basis in reduced row echelon form: { pivot bit -> vector }, and how many.
function M.basis(vectors)
  local rows, count = {}, 0
  for _, v in ipairs(vectors) do
    for pivot, row in pairs(rows) do
      if v >> pivot & 1 == 1 then v = v ~ row end
    end
    if v ~= 0 then
      local pivot = lists.log2(v)
      for other, row in pairs(rows) do
        if row >> pivot & 1 == 1 then rows[other] = row ~ v end
      end
      rows[pivot], count = v, count + 1
    end
  end
  return rows, count
end

-- The masks of `bits` bits whose parity is 0 on every vector of a basis, the lowest free bit first.
function M.annihilator(rows, bits)
  local masks = {}
  for free = 0, bits - 1 do
    if not rows[free] then
      local mask = 1 << free
      for pivot, row in pairs(rows) do
        if row >> free & 1 == 1 then mask = mask | 1 << pivot end
      end
      masks[#masks + 1] = mask
    end
  end
  return masks
end

-- The numbers of the bits of a mask.
function M.bits_of(mask, offset)
  local out = {}
  for bit = 0, 62 do
    if mask >> bit & 1 == 1 then out[#out + 1] = bit + (offset or 0) end
  end
  return out
end

return M
