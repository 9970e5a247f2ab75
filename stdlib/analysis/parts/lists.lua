-- Lists of numbers as values: every function returns a new list. Used by the parts of the cache
-- inference. Covered by tests/runtime/cache_inference_test.cpp.

local M = {}

function M.slice(list, first, last)
  local out = {}
  for i = first, last do out[#out + 1] = list[i] end
  return out
end

function M.join(a, b)
  if #b == 0 then return a end
  local out = M.slice(a, 1, #a)
  for _, value in ipairs(b) do out[#out + 1] = value end
  return out
end

function M.plus(list, value) return M.join(list, { value }) end

-- The list itself, in a random order.
function M.shuffle(list)
  for i = #list, 2, -1 do
    local k = math.random(i)
    list[i], list[k] = list[k], list[i]
  end
  return list
end

function M.without(list, index)
  local out = {}
  for i, value in ipairs(list) do
    if i ~= index then out[#out + 1] = value end
  end
  return out
end

function M.log2(x)
  local n = 0
  while x > 1 do x, n = x >> 1, n + 1 end
  return n
end

function M.gcd(a, b)
  while b ~= 0 do a, b = b, a % b end
  return a
end

-- The least common multiple.
function M.multiple(a, b) return a // M.gcd(a, b) * b end

function M.is_power_of_2(x) return x > 0 and x & (x - 1) == 0 end

M.PAGE, M.LINE = 4096, 128   -- bytes: no page is less; how lines of a list visited once are spread

-- `count` lines from `from` on, each once: all but the first of a page are translated for certain, and no
-- stream follows their order.
function M.once(from, count)
  local list, each = {}, M.PAGE // M.LINE
  for k = 0, count - 1 do
    list[k + 1] = from + k // each * M.PAGE + (k % each * 11 + k // each * 5) % each * M.LINE
  end
  return list
end

-- Of what one visit of each line of once() took, that of lines whose page the visit before has translated.
function M.translated(latencies)
  local out = {}
  for i, latency in ipairs(latencies) do
    if (i - 1) % (M.PAGE // M.LINE) > 0 then out[#out + 1] = latency end
  end
  return out
end

return M
