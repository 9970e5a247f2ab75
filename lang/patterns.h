// Access patterns: one row for each.
//
// The words of the language, the checks and their messages, completion, the editors' files and the
// table in docs/language.md are made from the rows. The row of the same name in
// codegen/lower/patterns.cpp has the addresses.
// Covered by tests/lang/patterns_test.cpp.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/rules.h"

namespace gpx {

struct PatternArgument {
  const char* name = nullptr;  ///< "BYTES". No name: there is no such argument.
  NumberRule rule = {};
  bool aligned = false;                           ///< A multiple of the width of an access.
  std::optional<double> fallback = std::nullopt;  ///< Where it is left out.
  bool open = false;                              ///< Where it is left out there is none.
};

constexpr std::size_t kPatternArguments = 5;  ///< The most that a pattern has.

/// `address` is that of access `i` of thread `t` (numbered over the whole grid, in shared memory in
/// its block), bytes from the array's start. `span` is the distance between two accesses of one
/// thread: the same for every point of a sweep, large enough for the largest grid in it, so that no
/// two accesses of different index meet.
struct PatternRow {
  const char* name;
  const char* address;  ///< As docs/language.md writes it.
  const char* help;     ///< One line.
  std::array<PatternArgument, kPatternArguments> arguments = {};
  /// Every access of a thread lies at one address: an assembler would merge loads and stores.
  bool only_atomics = false;
  /// Of asynchronous copies that one thread of the block issues.
  bool only_bulk = false;

  std::size_t most() const;      ///< Arguments that it takes.
  std::size_t least() const;     ///< Arguments that must be written.
  std::string syntax() const;    ///< "random(BYTES) or random(BYTES, SEED)"
  std::string document() const;  ///< Its line of the table in docs/language.md.
};

/// A side of the box of a tensor copy: what the hardware takes.
inline constexpr NumberRule kBoxSide = {"a side of the box", Unit::none, 1, 256};

inline constexpr PatternRow kPatterns[] = {
    {.name = "unique",
     .address = "`i * span + t * BYTES`",
     .help = "each thread its own block of BYTES, another for each access",
     .arguments = {{{"BYTES", {"the argument of unique", Unit::byte, 1, max_bytes}, true}}}},
    {.name = "merge",
     .address = "`i * span + floor(t / K) * BYTES`",
     .help = "K neighbouring threads share an address",
     .arguments = {{{"K",
                     {"the number of threads that share an address", Unit::none, 1, max_count}},
                    {"BYTES", {"the argument of merge", Unit::byte, 1, max_bytes}, true}}}},
    {.name = "stride",
     .address = "`t * BYTES + i * width`",
     .help = "threads lie BYTES apart, a thread reads on",
     .arguments = {{{"BYTES", {"the argument of stride", Unit::byte, 1, max_bytes}, true}}}},
    {.name = "broadcast",
     .address = "`i * BYTES`",
     .help = "all threads read the same address",
     .arguments =
         {{{"BYTES", {"the argument of broadcast", Unit::byte, 1, max_bytes}, true, 128}}}},
    {.name = "random",
     .address = "by SEED, i and t",
     .help = "uniform over BYTES, fixed by SEED",
     .arguments = {{{"BYTES", {"the argument of random", Unit::byte, 1, max_bytes}, true},
                    {"SEED", {"the seed", Unit::none, 0, max_bytes}, false, 1}}}},
    {.name = "permute",
     .address = "shuffled by SEED",
     .help = "each thread another element of BYTES, at random; of as many elements as threads "
             "always the same",
     .arguments = {{{"BYTES", {"the argument of permute", Unit::byte, 1, max_bytes}, true},
                    {"SEED", {"the seed", Unit::none, 0, max_bytes}, false, 1}}}},
    {.name = "same",
     .address = "`0`",
     .help = "all atomics of all threads at one address",
     .only_atomics = true},
    {.name = "bulk",
     .address = "`i * span + block * BYTES`",
     .help = "of an asynchronous copy: BYTES at once, by one thread of each block",
     .arguments = {{{"BYTES", {"the argument of bulk", Unit::byte, 16, 1 << 19}}}},
     .only_bulk = true},
    {.name = "tensor",
     .address = "the box `i` of the block",
     .help =
         "of an asynchronous copy: a box of a tensor of two to five dimensions, by one thread of "
         "each block",
     .arguments = {{{"N1", kBoxSide},
                    {"N2", kBoxSide},
                    {.name = "N3", .rule = kBoxSide, .open = true},
                    {.name = "N4", .rule = kBoxSide, .open = true},
                    {.name = "N5", .rule = kBoxSide, .open = true}}},
     .only_bulk = true},
};

/// nullptr if no pattern has that name.
const PatternRow* find_pattern(std::string_view name);

}  // namespace gpx
