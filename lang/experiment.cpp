// The experiment IR: walking its sweep, and what its names stand for. Its text form is in
// experiment_text.cpp. Interface: experiment.h; covered by tests/lang/check_test.cpp.
#include "lang/experiment.h"

#include <fmt/format.h>

#include <algorithm>

#include "lang/assert.h"
#include "lang/atomics.h"
#include "lang/lists.h"
#include "lang/vocabulary.h"

namespace gpx {

std::uint64_t Sweep::points() const {
  std::uint64_t points = 1;
  for (const auto& group : groups) points *= group.empty() ? 1 : group.front().values.size();
  return points;
}

std::vector<const Axis*> Sweep::axes() const {
  std::vector<const Axis*> axes;
  for (const auto& group : groups)
    for (const Axis& axis : group) axes.push_back(&axis);
  return axes;
}

std::vector<Value> Sweep::at(std::uint64_t point) const {
  GPX_ASSERT(point < points(), "point %llu", static_cast<unsigned long long>(point));
  std::vector<std::size_t> index(groups.size());
  for (std::size_t g = groups.size(); g-- > 0;) {  // The last group varies fastest.
    const std::size_t size = groups[g].empty() ? 1 : groups[g].front().values.size();
    index[g] = point % size;
    point /= size;
  }
  std::vector<Value> values;
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (const Axis& axis : groups[g]) {
      GPX_ASSERT(axis.values.size() == groups[g].front().values.size(), "axis %s is zipped",
                 axis.name.c_str());  // check_sweep.cpp refuses axes of other lengths.
      values.push_back(axis.values[index[g]]);
    }
  return values;
}

bool set_kind(Access& access, const std::string& word) {
  if (const auto kind = access_of(word)) {
    access.kind = *kind;
    return true;
  }
  const AtomicName* atomic = find_atomic(word);
  if (!atomic) return false;
  access.kind = Access::Kind::atomic;
  access.operation = word;
  access.width = Expr::number(atomic->row->bytes, Unit::byte);
  return true;
}

Access resolved(const Access& access, const Scope& scope) {
  Access out = access;
  const auto word = [&](const std::string& axis) -> const std::string& {
    const Value* value = scope(axis);
    GPX_ASSERT(value && std::holds_alternative<std::string>(*value));
    return std::get<std::string>(*value);
  };
  if (!access.by.kind.empty()) set_kind(out, word(access.by.kind));
  if (!access.by.space.empty()) out.space = *space_of(word(access.by.space));
  if (!access.by.cache.empty()) out.cache = *cache_of(word(access.by.cache));
  if (!access.by.pattern.empty()) out.pattern.name = word(access.by.pattern);
  return out;
}

std::vector<const KernelArgument*> buffers_of(const KernelArgument& argument) {
  std::vector<const KernelArgument*> buffers;
  if (argument.buffer) buffers.push_back(&argument);
  for (const KernelArgument& field : argument.fields)
    for (const KernelArgument* buffer : buffers_of(field)) buffers.push_back(buffer);
  return buffers;
}

const Run* Measure::run() const {
  return body.size() == 1 ? std::get_if<Run>(&body[0].node) : nullptr;
}

Scope Experiment::scope(const std::vector<Value>& point) const {
  return [this, &point](std::string_view wanted) -> const Value* {
    std::size_t i = 0;
    for (const auto& group : sweep.groups)
      for (const Axis& axis : group) {
        if (axis.name == wanted && i < point.size()) return &point[i];
        ++i;
      }
    return find_value(parameters, std::string(wanted));
  };
}

std::string canonical_finding(std::string_view base,
                              const std::vector<std::pair<std::string, Value>>& keys) {
  std::string out(base);
  if (keys.empty()) return out;
  out += '[';
  for (std::size_t i = 0; i < keys.size(); ++i)
    out += fmt::format("{}{}{}{}", i ? "," : "", keys[i].first, keys[i].first.empty() ? "" : "=",
                       to_string(keys[i].second));
  return out + ']';
}

void take_all_sms(Experiment& experiment, std::uint32_t sms) {
  for (auto& group : experiment.sweep.groups)
    for (Axis& axis : group) {
      if (!axis.all_sms) continue;
      axis.values.clear();
      for (std::uint32_t sm = 0; sm < std::max(1u, sms); ++sm)
        axis.values.push_back(Quantity{static_cast<double>(sm), Unit::none});
    }
}

}  // namespace gpx
