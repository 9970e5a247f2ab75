// Listener: is told what happens inside the virtual GPU, event by event. A component asks for it
// before it tells: where nobody listens that is one comparison with nullptr.
//
// Clocks are those of the job, which begins at 0; launches of a job follow each other. A level is
// named by its section of a device file: "l1", "tlb_l2", "constant_l1". Covered by
// tests/vgpu/listeners_test.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "runtime/device/vgpu/clk.h"

namespace gpx::vgpu::timing {

/// Why a resident warp does not issue. Replays are no reason of their own: they lengthen an access,
/// and the warp waits for its registers.
enum class Stall : std::uint8_t {
  scoreboard,  ///< for a register: of arithmetic or of memory
  fence,       ///< for its own memory accesses
  barrier,
  branch,  ///< for the target of a branch, or after a read of the clock
  fetch,   ///< for the instruction
  unit,    ///< for its scheduler or unit
};
inline constexpr std::array<std::string_view, 6> kStallNames = {"scoreboard", "fence", "barrier",
                                                                "branch",     "fetch", "unit"};
constexpr std::string_view name_of(Stall stall) {
  return kStallNames[static_cast<std::size_t>(stall)];
}

enum class Lookup : std::uint8_t {
  hit,
  miss,
  merged,  ///< The line is on its way: asked for before, not asked for again.
};

/// What an access of memory is, for whoever waits for it.
enum class AccessKind : std::uint8_t { load, store, atomic, shared, constant };

class Listener {
 public:
  virtual ~Listener() = default;

  /// What one SM does is told in its order, but SMs need not be told in that of their clocks.
  virtual bool takes_any_order() const { return false; }

  virtual void job_starts() {}
  /// `sms`: that have blocks and are simulated.
  virtual void launch_starts(Clk /*clk*/, unsigned /*sms*/) {}
  virtual void launch_ends(Clk /*clk*/) {}
  /// An SM has the block from its start to the exit of its last warp. `block`: its number in the
  /// grid.
  virtual void block_starts(Clk /*clk*/, unsigned /*sm*/, std::uint64_t /*block*/) {}
  virtual void block_ends(Clk /*clk*/, unsigned /*sm*/, std::uint64_t /*block*/) {}
  virtual void warp_starts(Clk /*clk*/, unsigned /*sm*/, unsigned /*slot*/) {}
  /// At `clk` it issued its last instruction.
  virtual void warp_ends(Clk /*clk*/, unsigned /*sm*/, unsigned /*slot*/) {}

  /// An issue takes the warp one clock; the clocks between two issues are stalls, each told once.
  virtual void issues(Clk /*clk*/, unsigned /*sm*/, unsigned /*slot*/, std::string_view /*unit*/,
                      std::string_view /*instruction*/) {}
  virtual void stalls(Clk /*from*/, Clk /*to*/, unsigned /*sm*/, unsigned /*slot*/,
                      Stall /*reason*/) {}

  /// The PTX line of the instruction that issues() tells of next.
  virtual void at_line(unsigned /*sm*/, unsigned /*slot*/, int /*line*/) {}
  /// Lookups of the access follow, up to its end. Of shared and constant memory only the end is
  /// told.
  virtual void access_begins(unsigned /*sm*/) {}
  /// It was issued at `issued`; its registers are ready, or its bytes stored, at `complete`.
  virtual void access_ends(Clk /*issued*/, Clk /*complete*/, unsigned /*sm*/, unsigned /*slot*/,
                           AccessKind /*kind*/) {}

  /// A level is asked for a line (a TLB for a page).
  virtual void looks_up(Clk /*clk*/, unsigned /*sm*/, std::string_view /*level*/,
                        Lookup /*outcome*/) {}
  /// So many bytes of DRAM are read or written.
  virtual void transfers(Clk /*clk*/, unsigned /*sm*/, bool /*write*/, double /*bytes*/) {}
  /// So many requests of an SM go from one partition of L2 to the other.
  virtual void crosses(Clk /*clk*/, unsigned /*sm*/, unsigned /*requests*/) {}
  /// Passes of a warp access after its first: requests of global memory and textures, bank
  /// conflicts of shared memory, further words of constant memory, turns of atomics in L2.
  virtual void replays(Clk /*clk*/, unsigned /*sm*/, std::string_view /*space*/,
                       unsigned /*passes*/) {}
};

}  // namespace gpx::vgpu::timing
