#include "runtime/measure/shard.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string_view>

namespace gpx {
namespace {

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

std::uint64_t Shard::points_of(std::uint64_t total) const {
  return total / count + (index - 1 < total % count ? 1 : 0);
}

std::vector<std::uint64_t> Shard::points_within(std::uint64_t before, std::uint64_t points) const {
  std::vector<std::uint64_t> own;
  const std::uint64_t first = (index - 1 + count - before % count) % count;
  for (std::uint64_t point = first; point < points; point += count) own.push_back(point);
  return own;
}

Result<Shard> parse_shard(const std::string& text) {
  constexpr const char* kForm = "--shard K/N: the K-th of N parts, such as 1/4";
  const std::size_t slash = text.find('/');
  const std::string_view all = text;
  const auto index = whole_number(all.substr(0, slash));
  const auto count =
      slash == std::string::npos ? std::nullopt : whole_number(all.substr(slash + 1));
  if (!index || !count)
    return fail(Fault::input, fmt::format("'{}' is not a part of a sweep", text), kForm);
  if (*count > kMostShards)
    return fail(Fault::input, fmt::format("'{}' has more than {} parts", text, kMostShards));
  if (*index < 1 || *index > *count)
    return fail(Fault::input, fmt::format("there is no part {} of {}", *index, *count), kForm);
  return Shard{*index, *count};
}

std::string to_string(const Shard& shard) {
  return fmt::format("{}/{}", shard.index, shard.count);
}

}  // namespace gpx
