// What the algorithms of C++20 lack for lists. Covered by tests/lang/lists_test.cpp.
#pragma once

#include <algorithm>
#include <concepts>
#include <functional>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace gpx {

/// Whether some element's part equals the value. Not of a range of itself, as a JSON value is: a
/// text in it is no element.
template <std::ranges::range List, typename Value, typename Part = std::identity>
requires(!std::same_as<std::ranges::range_value_t<List>, List>) &&
    requires(const List& list, const Value& value) {
  std::ranges::find(list, value, Part());
}
bool contains(const List& list, const Value& value, Part part = {}) {
  return std::ranges::find(list, value, part) != std::ranges::end(list);
}

/// Whether the text has the part.
inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// The first element whose part equals the value; nullptr: there is none.
template <std::ranges::range List, typename Value, typename Part = std::identity>
auto find_in(List& list, const Value& value, Part part = {}) -> decltype(&*list.begin()) {
  const auto found = std::ranges::find(list, value, part);
  return found == list.end() ? nullptr : &*found;
}

/// What the map has under a key; nullptr: nothing.
template <typename Map, typename Key>
auto find_value(Map& map, const Key& key) -> decltype(&map.begin()->second) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : &found->second;
}

/// Appends what the list does not have. Whether it did.
template <typename T>
bool add_once(std::vector<T>& list, std::type_identity_t<T> value) {
  if (contains(list, value)) return false;
  list.push_back(std::move(value));
  return true;
}

/// "a, b, c": the text of each element behind the separator, which does not stand before the first
/// text that is not empty.
template <std::ranges::input_range List, typename Text = std::identity>
std::string joined(List&& list, std::string_view separator, Text text = {}) {
  std::string all;
  for (auto&& each : list) {
    if (!all.empty()) all += separator;
    all += std::invoke(text, each);
  }
  return all;
}

}  // namespace gpx
