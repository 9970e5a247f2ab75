-- occupancy(): how many blocks and warps of a kernel from a file an SM holds, and what limits them.
--
-- Findings occupancy.blocks, .warps, .fraction, .limiter; at each point of a sweep they carry its
-- axes. Covered by tests/experiments/user_kernels_test.cpp.

local rows = use "parts/launch_rows"

local M = {}

function M.run(input)
  for key, row in rows.each(input) do
    local note = string.format("%g registers a thread, %g B of shared memory a block",
                               row.registers, row.shared_bytes)
    local steps = { "registers and shared memory as the CUDA occupancy calculator hands them out",
                    string.format("a block needs %g warps, %s: the SM holds %g of them", row.warps_per_block,
                                  note, row.resident_blocks),
                    string.format("the first to run out: %s", row.limiter) }
    finding { name = "occupancy.blocks" .. key, value = row.resident_blocks, unit = "blocks",
              note = note, steps = steps }
    finding { name = "occupancy.warps" .. key,
              value = row.resident_blocks * row.warps_per_block, unit = "warps", note = note, steps = steps }
    finding { name = "occupancy.fraction" .. key, value = row.occupancy, note = note, steps = steps }
    finding { name = "occupancy.limiter" .. key, value = row.limiter, note = note, steps = steps }
  end
end

return M
