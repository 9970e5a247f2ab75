#include "runtime/measure/shard.h"

#include <fmt/format.h>

#include <string_view>

#include "lang/words.h"

namespace gpx {

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
  Shard shard;
  if (slash == std::string::npos || !read_number(all.substr(0, slash), shard.index) ||
      !read_number(all.substr(slash + 1), shard.count))
    return fail(Fault::input, fmt::format("'{}' is not a part of a sweep", text), kForm);
  if (shard.count > kMostShards)
    return fail(Fault::input, fmt::format("'{}' has more than {} parts", text, kMostShards));
  if (shard.index < 1 || shard.index > shard.count)
    return fail(Fault::input, fmt::format("there is no part {} of {}", shard.index, shard.count),
                kForm);
  return shard;
}

std::string to_string(const Shard& shard) {
  return fmt::format("{}/{}", shard.index, shard.count);
}

}  // namespace gpx
