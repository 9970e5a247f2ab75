// Interface: merge_rows.h. Covered by tests/store/merge_test.cpp.
#include "runtime/store/merge_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lang/try.h"
#include "runtime/measure/values_digest.h"

namespace gpx::store {
namespace {

/// The rows of one point in a shard.
struct PointRows {
  const Samples* samples = nullptr;
  std::size_t first = 0, end = 0;
};

bool same_columns(const Samples& a, const Samples& b) {
  return std::ranges::equal(a.columns, b.columns, [](const Column& x, const Column& y) {
    return x.name == y.name && x.unit == y.unit && x.role == y.role && x.is_text == y.is_text;
  });
}

tl::unexpected<Error> damaged(const ExperimentResult& shard, const std::string& what) {
  return fail(Fault::device, fmt::format("shard {} is damaged: {}", to_string(shard.shard), what));
}

/// Adds the points of a shard, each at its number among all.
Result<void> add_points(const ExperimentResult& shard, std::vector<PointRows>& points) {
  const Column* numbers = shard.samples.find(kShardPoint);
  if (!numbers || numbers->is_text || !shard.samples.find(kShardValues))
    return damaged(shard, "its samples do not name their points");
  for (std::size_t row = 0; row < shard.samples.rows();) {
    const double number = numbers->numbers[row];
    std::size_t end = row + 1;
    while (end < shard.samples.rows() && numbers->numbers[end] == number) ++end;
    if (!(number >= 0 && number < static_cast<double>(points.size())) ||
        number != std::floor(number))
      return damaged(shard, fmt::format("it has a point {} of {}", number, points.size()));
    const auto point = static_cast<std::uint64_t>(number);
    if (point % shard.shard.count != shard.shard.index - 1 || points[point].samples)
      return damaged(shard, fmt::format("point {} is not its own", point));
    points[point] = {&shard.samples, row, end};
    row = end;
  }
  return {};
}

void append_rows(Samples& to, const PointRows& from) {
  for (Column& column : to.columns) {
    const Column& source = *from.samples->find(column.name);
    const auto first = static_cast<std::ptrdiff_t>(from.first),
               end = static_cast<std::ptrdiff_t>(from.end);
    if (column.is_text)
      column.texts.insert(column.texts.end(), source.texts.begin() + first,
                          source.texts.begin() + end);
    else
      column.numbers.insert(column.numbers.end(), source.numbers.begin() + first,
                            source.numbers.begin() + end);
  }
}

/// The columns of the whole run, without rows.
Samples whole_columns(const Samples& shard) {
  Samples whole;
  for (const Column& column : shard.columns)
    if (column.name != kShardPoint && column.name != kShardValues)
      whole.columns.push_back({column.name, column.unit, column.role, column.is_text, {}, {}});
  return whole;
}

Result<std::string> digest_of(const std::vector<PointRows>& points) {
  ValuesDigest digest;
  for (const PointRows& point : points) {
    const auto values =
        GPX_TRY(parse_values(point.samples->find(kShardValues)->texts[point.first]));
    digest.fold(values);
  }
  return digest.text();
}

}  // namespace

Result<ExperimentResult> join_rows(const std::vector<const ExperimentResult*>& shards) {
  std::uint64_t total = 0, rows = 0;
  for (const ExperimentResult* shard : shards) {
    total += shard->points_total;
    rows += shard->samples.rows();
  }
  if (total > rows)  // Each point has a row at least.
    return damaged(*shards.front(), fmt::format("{} points have {} rows", total, rows));
  for (const ExperimentResult* shard : shards) {
    if (shard->points_total != shard->shard.points_of(total))
      return damaged(*shard, fmt::format("it has {} of {} points, not {}", shard->points_total,
                                         total, shard->shard.points_of(total)));
    if (!same_columns(shard->samples, shards.front()->samples))
      return damaged(*shard, "its samples have other columns than those of the first");
  }
  std::vector<PointRows> points(total);
  for (const ExperimentResult* shard : shards) GPX_TRY(add_points(*shard, points));
  const auto missing = std::ranges::find(points, nullptr, &PointRows::samples);
  if (missing != points.end()) {
    const auto point = static_cast<std::size_t>(missing - points.begin());
    return damaged(*shards[point % shards.size()], fmt::format("it lacks point {}", point));
  }
  auto digest = GPX_TRY(digest_of(points));
  ExperimentResult whole = *shards.front();
  whole.shard = {};
  whole.samples = whole_columns(shards.front()->samples);
  for (const PointRows& point : points) append_rows(whole.samples, point);
  whole.points = whole.points_total = total;
  whole.values_digest = digest;
  whole.interrupted = true;
  return whole;
}

}  // namespace gpx::store
