-- Plateaus of a curve of latency against size: how far each level of a hierarchy reaches, as a block
-- on one SM sees it. Covered by tests/experiments/sharing_planted_test.cpp.

local M = {}

M.STEP = 32  -- bytes between the addresses of a list: no line is shorter

-- Addresses that lie STEP apart and fill so many bytes.
function M.dense(bytes)
  local list = {}
  for address = 0, bytes - 1, M.STEP do list[#list + 1] = address end
  return list
end

-- The stretches of a curve { {size, latency}, ... } over which nothing changes and size grows by a
-- quarter or more: { low, high, latency }. `noise`: what two latencies of one level may differ by.
function M.of(curve, noise)
  local out, from = {}, 1
  local function close(to)
    local low, high = curve[from], curve[to]
    if to - from >= 2 and high.size >= 1.25 * low.size then
      local values = {}
      for i = from, to do values[#values + 1] = curve[i].latency end
      out[#out + 1] = { low = low.size, high = high.size, latency = stats.median(values) }
    end
  end
  for i = 2, #curve do
    if math.abs(curve[i].latency - curve[from].latency) > noise then
      close(i - 1)
      from = i
    end
  end
  close(#curve)
  return out
end

-- Sizes from `unit` up to `most`, eight to an octave, multiples of `unit`.
function M.sizes(most, unit)
  local out, size = {}, unit
  while size <= most do
    out[#out + 1] = size
    size = math.max(size + unit, math.floor(size * 2 ^ 0.125 / unit + 0.5) * unit)
  end
  return out
end

-- The last size of a plateau, to `unit` bytes: between a size that belongs to it and one that does not.
function M.edge(measure, plateau, outside, noise, unit)
  local inside = plateau.high
  while outside - inside > unit do
    local middle = (inside + outside) // 2 // unit * unit
    if math.abs(measure(middle) - plateau.latency) <= noise then inside = middle else outside = middle end
  end
  return inside
end

return M
