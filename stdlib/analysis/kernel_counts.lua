-- kernel_counts(): what a warp of a kernel from a file executes, as Hong and Kim 2009 count it.
--
-- Findings ptx.count.comp, .coal, .uncoal, .sync from executing blocks; ptx.count.static.* from
-- following the PTX without its data; ptx.count.loop.* of the largest loop. At each point of a sweep
-- they carry its axes. Covered by tests/experiments/user_kernels_test.cpp.

local rows = use "parts/launch_rows"

local M = {}

local COUNTS = {
  { "comp", "comp_insts", "computation instructions, barriers among them" },
  { "coal", "coal_mem_insts", "coalesced memory instructions" },
  { "uncoal", "uncoal_mem_insts", "uncoalesced memory instructions" },
  { "sync", "sync_insts", "barriers" },
}

local function report(name, key, value, note)
  if value ~= value then
    finding { name = name .. key, verdict = "inconclusive", note = "it depends on data: " .. note }
  else
    finding { name = name .. key, value = value, unit = "insts", note = note }
  end
end

function M.run(input)
  for key, row in rows.each(input) do
    for _, count in ipairs(COUNTS) do
      local name, column, what = count[1], count[2], count[3]
      local executed, followed = row[column], row["static_" .. column]
      local note = what .. " of a warp, executed"
      if followed == followed and followed ~= executed then
        note = note .. string.format("; %g by following the PTX", followed)
      end
      report("ptx.count." .. name, key, executed, note)
      report("ptx.count.static." .. name, key, followed, what .. " of a warp, without its data")
    end
    if row.loop_trips == row.loop_trips then
      for _, count in ipairs(COUNTS) do
        report("ptx.count.loop." .. count[1], key, row["loop_" .. count[2]],
               string.format("%s of a warp in the largest loop, %d pass%s", count[3],
                             math.floor(row.loop_trips), row.loop_trips == 1 and "" or "es"))
      end
    end
  end
end

return M
