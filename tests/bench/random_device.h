// Devices with random parameters, and what was planted in each: the truth that `gpx_recover`
// compares findings with. Device files are of the format of docs/devices.md and legal by
// construction. Covered by tests/bench/recover_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace gpx::bench {

/// Which lines share a set: those of the same parities of address bits; or with the same number
/// modulo the sets; or, where there are masks and a modulo, whose parities are a number that is the
/// same modulo the sets: in general neither of the two.
struct SetFunction {
  std::uint64_t line = 0, capacity = 0;  ///< What a function within fewer bytes says is not judged.
  std::vector<std::uint64_t> masks;
  std::uint64_t modulo = 0;
  bool neither() const { return modulo != 0 && !masks.empty(); }
};

/// One parameter that a finding should give back.
struct Truth {
  std::string finding;    ///< "l1.ways"
  std::string parameter;  ///< "ways": what results are counted by.
  std::variant<double, std::string, std::vector<double>, SetFunction> value;
  double high = 0;  ///< Of a latency: with all the noise of one access on top of `value`.
  /// Why there is nothing to decide; empty where there is. `not_observed` is right then, too.
  std::string undecidable = {};
  /// Why the papers' methods do not reach it; empty where they do. It is there nevertheless.
  std::string hidden = {};
};

struct RandomDevice {
  std::string name;
  std::string lua;
  std::vector<Truth> truths;
  /// Levels that the device lacks, by the prefix of their findings: "l2.".
  std::vector<std::string> absent;
  std::vector<std::string> groups;  ///< Of `gpx characterize`: those that look at what is planted.
};

/// `small`: few lines, no rare long delays, one level of data caches and TLBs: what takes a second
/// or two to characterize.
RandomDevice random_device(std::uint64_t seed, bool small);

/// All of a GPU's memory at once: L1, L2 with two halves or one, TLBs, textures through L1 or not,
/// constants, code, shared memory, noise and distances. `small`: with fewer of everything.
RandomDevice whole_device(std::uint64_t seed, bool small);

/// A whole device that no GPU need resemble: an L2 of 1 to 80 MB, 8 to 32 ways and any policy, an
/// L1 of any policy, TLBs that reach from a quarter of L2 to 16 times as much.
RandomDevice wide_device(std::uint64_t seed);

/// The same device, which another process uses now and then: in time slices or beside, for 1 to 90
/// % of the time, in bursts of a few microseconds to tens of milliseconds.
RandomDevice with_tenant(RandomDevice device, std::uint64_t seed);

/// The same device without TLBs: `tlb` is to find none, whatever its data caches are. Every other
/// one's L2 inserts missed lines as those that leave next, where it is LRU.
RandomDevice untranslated(RandomDevice device, std::uint64_t seed);

}  // namespace gpx::bench
