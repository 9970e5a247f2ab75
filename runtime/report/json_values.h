// Values as they stand in JSON documents. Covered by tests/report/json_test.cpp.
#pragma once

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "runtime/report/number.h"

namespace gpx::report {

using Json = nlohmann::ordered_json;

/// JSON has no infinity: null.
inline Json number(double value) {
  if (!std::isfinite(value)) return nullptr;
  if (is_integer(value)) return static_cast<std::int64_t>(value);
  return value;
}

inline Json number(const std::optional<double>& value) {
  return value ? number(*value) : Json(nullptr);
}

inline Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

template <typename T, typename Make>
Json list_of(const std::vector<T>& all, Make make) {
  Json out = Json::array();
  for (const T& each : all) out.push_back(make(each));
  return out;
}

}  // namespace gpx::report
