// Values as bytes, for two processes of the same program: fixed-width little-endian words, lengths
// before texts and lists, a word before what may be absent or of several types. A type is sent by
// an `exchange(archive, value)` beside it that names its fields.
// Covered by tests/runtime/device_protocol_test.cpp.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace gpx {

/// `T` or `const T`: one function writes and reads.
template <typename T, typename Wanted>
concept Sent = std::same_as<std::remove_const_t<T>, Wanted>;

}  // namespace gpx

namespace gpx::wire {

static_assert(std::endian::native == std::endian::little);

using Bytes = std::vector<std::uint8_t>;

template <typename T>
inline constexpr bool is_word = std::is_arithmetic_v<T> || std::is_enum_v<T>;

/// Appends what it is given.
class Writer {
 public:
  template <typename... Values>
  void operator()(const Values&... values) {
    (put(values), ...);
  }
  Bytes take() { return std::move(bytes_); }

 private:
  void append(const void* data, std::size_t size) {
    const auto* from = static_cast<const std::uint8_t*>(data);
    bytes_.insert(bytes_.end(), from, from + size);
  }
  template <typename T>
  void put(const T& value) {
    if constexpr (is_word<T>) {
      append(&value, sizeof value);
    } else {
      exchange(*this, value);
    }
  }
  void put(const std::string& text) {
    put(static_cast<std::uint64_t>(text.size()));
    append(text.data(), text.size());
  }
  template <typename T>
  void put(const std::vector<T>& list) {
    put(static_cast<std::uint64_t>(list.size()));
    if constexpr (is_word<T>) {
      append(list.data(), list.size() * sizeof(T));
    } else {
      for (const T& each : list) put(each);
    }
  }
  template <typename T>
  void put(const std::optional<T>& value) {
    put(value.has_value());
    if (value) put(*value);
  }
  template <typename First, typename Second>
  void put(const std::pair<First, Second>& value) {
    put(value.first);
    put(value.second);
  }
  template <typename... Types>
  void put(const std::variant<Types...>& value) {
    put(static_cast<std::uint64_t>(value.index()));
    std::visit([&](const auto& held) { put(held); }, value);
  }
  void put(std::monostate) {}

  Bytes bytes_;
};

/// Reads what a Writer made. What does not fit leaves the rest as it is and `ok()` false.
class Reader {
 public:
  explicit Reader(std::span<const std::uint8_t> bytes) : rest_(bytes) {}

  template <typename... Values>
  void operator()(Values&... values) {
    (get(values), ...);
  }
  /// All was read, and nothing was missing.
  bool complete() const { return ok_ && rest_.empty(); }

 private:
  bool extract(void* data, std::size_t size) {
    ok_ = ok_ && size <= rest_.size();
    if (!ok_) return false;
    if (size > 0) std::memcpy(data, rest_.data(), size);
    rest_ = rest_.subspan(size);
    return true;
  }
  /// The length of a list, 0 where that many elements of `size` cannot be there.
  std::size_t length(std::size_t size) {
    std::uint64_t count = 0;
    extract(&count, sizeof count);
    ok_ = ok_ && count <= rest_.size() / size;
    return ok_ ? count : 0;
  }
  template <typename T>
  void get(T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      std::uint8_t byte = 0;
      extract(&byte, sizeof byte);
      value = byte != 0;
    } else if constexpr (is_word<T>) {
      extract(&value, sizeof value);
    } else {
      exchange(*this, value);
    }
  }
  void get(std::string& text) {
    text.resize(length(1));
    extract(text.data(), text.size());
  }
  template <typename T>
  void get(std::vector<T>& list) {
    if constexpr (is_word<T>) {
      list.resize(length(sizeof(T)));
      extract(list.data(), list.size() * sizeof(T));
    } else {
      list.resize(length(1));
      for (T& each : list) get(each);
    }
  }
  template <typename T>
  void get(std::optional<T>& value) {
    bool there = false;
    get(there);
    value.reset();
    if (there) get(value.emplace());
  }
  template <typename First, typename Second>
  void get(std::pair<First, Second>& value) {
    get(value.first);
    get(value.second);
  }
  template <typename... Types>
  void get(std::variant<Types...>& value) {
    std::uint64_t index = 0, at = 0;
    get(index);
    ((at++ == index ? get(value.template emplace<Types>()) : void()), ...);
  }
  void get(std::monostate) {}

  std::span<const std::uint8_t> rest_;
  bool ok_ = true;
};

}  // namespace gpx::wire
