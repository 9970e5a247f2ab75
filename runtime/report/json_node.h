// Node: a value of a JSON document as it is read, which knows its path for errors.
// Covered by tests/report/json_read_test.cpp.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "lang/utf8.h"

namespace gpx::report {

/// Stays within json_read.cpp: Node throws it, read() makes an Error of it.
struct Wrong : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A value of the document and the path to it, which errors name.
class Node {
 public:
  using Json = nlohmann::ordered_json;

  Node(const Json& json, std::string path) : json_(json), path_(std::move(path)) {}

  Node operator[](const char* field) const {
    if (!json_.is_object()) wrong("an object");
    const auto at = json_.find(field);
    if (at == json_.end())
      throw Wrong(
          fmt::format("there is no field '{}{}{}'", path_, path_.empty() ? "" : ".", field));
    return {*at, path_ + (path_.empty() ? "" : ".") + field};
  }
  /// The same, null where there is none: what earlier versions did not write.
  Node later(const char* field) const {
    static const Json null;
    if (has(field)) return (*this)[field];
    return {null, path_ + (path_.empty() ? "" : ".") + field};
  }
  bool has(const char* field) const { return json_.is_object() && json_.contains(field); }
  bool is_null() const { return json_.is_null(); }
  const Json& json() const { return json_; }

  std::vector<Node> list_or_empty() const { return is_null() ? std::vector<Node>{} : list(); }
  std::vector<Node> list() const {
    if (!json_.is_array()) wrong("a list");
    std::vector<Node> items;
    for (std::size_t i = 0; i < json_.size(); ++i)
      items.emplace_back(json_[i], fmt::format("{}[{}]", path_, i));
    return items;
  }
  std::string text() const {
    if (!json_.is_string()) wrong("a text");
    return json_.get<std::string>();
  }
  /// A text that is shown as it is: one line, not empty.
  std::string name() const {
    std::string name = text();
    if (!is_name(name))
      throw Wrong(fmt::format("'{}' is no name: a control character, or nothing", path_));
    return name;
  }
  std::string text_or_empty() const { return is_null() ? std::string() : text(); }
  bool truth() const {
    if (!json_.is_boolean()) wrong("true or false");
    return json_.get<bool>();
  }
  double number() const {
    if (!json_.is_number()) wrong("a number");
    return json_.get<double>();
  }
  std::optional<double> number_or_none() const {
    return is_null() ? std::nullopt : std::optional(number());
  }
  template <typename Whole = std::uint64_t>
  Whole whole() const {
    if (!json_.is_number_unsigned()) wrong("a whole number");
    const auto value = json_.get<std::uint64_t>();
    if (value > std::numeric_limits<Whole>::max()) wrong("a smaller number");
    return static_cast<Whole>(value);
  }
  std::vector<std::string> texts() const {
    std::vector<std::string> all;
    for (const Node& each : list()) all.push_back(each.text());
    return all;
  }
  [[noreturn]] void wrong(const char* expected) const {
    throw Wrong(fmt::format("'{}' is {}, not {}", path_, json_.type_name(), expected));
  }

 private:
  const Json& json_;
  std::string path_;
};

}  // namespace gpx::report
