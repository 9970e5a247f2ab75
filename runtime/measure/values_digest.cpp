// Interface: values_digest.h. Covered by tests/runtime/shard_test.cpp.
#include "runtime/measure/values_digest.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <optional>
#include <string_view>

#include "codegen/ir/operation.h"
#include "lang/words.h"
#include "runtime/measure/rounds.h"

namespace gpx {
namespace {

constexpr int kBase = 16;  ///< Of numbers as they are written.

bool reads_a_clock(const codegen::Program& program, std::uint64_t point) {
  return !program.kernels.empty() &&
         codegen::gives_time_or_place(program.kernels[program.launches[point].kernel]);
}

}  // namespace

Result<std::vector<ReadValue>> read_values(const LoweredMeasure& measure, std::uint64_t point,
                                           const JobResult& job) {
  std::vector<ReadValue> values;
  if (reads_a_clock(measure.program, point)) return values;
  const auto& slots = measure.program.results;
  for (std::size_t slot = 0; slot < slots.size(); ++slot) {
    if (slots[slot].role != codegen::ResultSlot::Role::checksum) continue;
    std::optional<std::uint64_t> first;
    for (const Repetition& repetition : job.repetitions) {
      if (repetition.outcome != Outcome::completed) continue;
      const std::uint64_t value = repetition.results[slot];
      if (first.value_or(value) != value)
        return fail(
            Fault::device,
            fmt::format("{}: two repetitions read different values ({}: {:#x} and {:#x}); the "
                        "device's memory or the kernel is not to be trusted",
                        point_name(measure, point), slots[slot].name, *first, value));
      first = value;
    }
    if (first) values.push_back({slot, *first});
  }
  return values;
}

std::string to_string(const std::vector<ReadValue>& values) {
  std::string text;
  for (const ReadValue& each : values)
    text += fmt::format("{}{:x}:{:x}", text.empty() ? "" : ",", each.slot, each.value);
  return text;
}

Result<std::vector<ReadValue>> parse_values(const std::string& text) {
  std::vector<ReadValue> values;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view one = take_until(rest, ',');
    const std::size_t colon = one.find(':');
    ReadValue& value = values.emplace_back();
    if (colon == std::string_view::npos || !read_number(one.substr(0, colon), value.slot, kBase) ||
        !read_number(one.substr(colon + 1), value.value, kBase))
      return fail(Fault::input, fmt::format("'{}' is not a list of values", text));
  }
  return values;
}

void ValuesDigest::fold(const std::vector<ReadValue>& values) {
  for (const ReadValue& each : values)
    hash_ = XXH3_64bits_withSeed(&each.value, sizeof each.value, hash_ + each.slot);
}

std::string ValuesDigest::text() const {
  return fmt::format("{:016x}", hash_);
}

Result<void> ValuesDigest::restore(const std::string& text) {
  if (!read_number(text, hash_, kBase))
    return fail(Fault::input, fmt::format("'{}' is no digest of values", text));
  return {};
}

}  // namespace gpx
