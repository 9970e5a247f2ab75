// The text of what was recorded. Interface: recorded.h. Covered by tests/runtime/recorded_test.cpp.
#include "runtime/recorded.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "lang/words.h"
#include "runtime/measure/columns.h"

namespace gpx {
namespace {

std::string fact_text(const std::string& value) {
  return value;
}
std::string fact_text(const std::vector<std::uint32_t>& values) {
  return fmt::format("{}", fmt::join(values, " "));
}
template <typename Number>
std::string fact_text(const Number& value) {
  return fmt::format("{}", +value);
}

bool read_fact(std::string_view text, std::string& value) {
  value = text;
  return true;
}
bool read_fact(std::string_view text, bool& value) {
  value = text == "1";
  return value || text == "0";
}
bool read_fact(std::string_view text, std::vector<std::uint32_t>& values) {
  const auto numbers = numbers_from(text);
  if (numbers) values.assign(numbers->begin(), numbers->end());
  return numbers.has_value();
}
template <typename Number>
bool read_fact(std::string_view text, Number& value) {
  return read_number(text, value);
}

/// Texts of a column, one after the other: each by its length in bytes, so that it may hold
/// anything but the end of a line; equal ones that follow each other stand once.
std::string cells_text(const std::vector<std::string>& texts) {
  std::string out;
  for (std::size_t i = 0; i < texts.size();) {
    std::size_t end = i + 1;
    while (end < texts.size() && texts[end] == texts[i]) ++end;
    out += fmt::format("{}{}*{}:{}", i == 0 ? "" : " ", texts[i].size(), end - i, texts[i]);
    i = end;
  }
  return out;
}

std::optional<std::vector<std::string>> cells_from(std::string_view text) {
  std::vector<std::string> cells;
  while (!text.empty()) {
    const std::size_t star = text.find('*'), colon = text.find(':');
    std::size_t size = 0, times = 0;
    if (star == text.npos || colon == text.npos || star > colon ||
        !read_number(text.substr(0, star), size) ||
        !read_number(text.substr(star + 1, colon - star - 1), times) ||
        size > text.size() - colon - 1 || times > 1 << 24)
      return std::nullopt;
    cells.insert(cells.end(), times, std::string(text.substr(colon + 1, size)));
    text.remove_prefix(std::min(colon + 1 + size + 1, text.size()));
  }
  return cells;
}

/// Reads recordings line by line; the lines of a log are kept until the recording ends.
class RecordingReader {
 public:
  bool read(std::string_view line) {
    const std::size_t blank = std::min(line.find(' '), line.size());
    const std::string_view word = line.substr(0, blank);
    const std::string_view rest = line.substr(std::min(blank + 1, line.size()));
    if (word == "probes") return begin(rest);
    if (all_.empty()) return false;
    Recorded& now = all_.back();
    if (word == "seed") return read_number(rest, now.seed);
    if (word == "proof") return now.proof = rest, true;
    if (word == "fact") return fact(rest);
    if (word == "column") return column(rest);
    if (word == "cells") return cells(rest);
    log_.append(line) += '\n';
    return true;
  }

  Result<std::vector<Recorded>> take() {
    if (!end()) return tl::unexpected(*error_);
    return std::move(all_);
  }
  /// Of the last log that was not one.
  const std::optional<Error>& error() const { return error_; }

 private:
  bool begin(std::string_view name) {
    if (!end()) return false;
    all_.emplace_back().name = name;
    return true;
  }
  bool end() {
    if (all_.empty()) return true;
    auto log = probe_log_from(log_);
    log_.clear();
    if (log)
      all_.back().log = std::move(*log);
    else
      error_ = log.error();
    return log.has_value();
  }
  bool fact(std::string_view line) {
    const std::size_t blank = std::min(line.find(' '), line.size());
    bool known = false;
    for_each_fact(all_.back().device, [&](const Fact& fact, auto& member) {
      if (fact.key == line.substr(0, blank))
        known = read_fact(line.substr(std::min(blank + 1, line.size())), member);
    });
    return known;
  }
  bool column(std::string_view line) {
    auto made = columns_from(std::string(line));
    if (!made || made->columns.size() != 1) return false;
    all_.back().samples.columns.push_back(std::move(made->columns.front()));
    return true;
  }
  bool cells(std::string_view line) {
    Samples& samples = all_.back().samples;
    if (samples.columns.empty()) return false;
    Column& column = samples.columns.back();
    if (column.is_text) {
      auto texts = cells_from(line);
      if (texts) column.texts = std::move(*texts);
      return texts && column.texts.size() == samples.rows();
    }
    auto numbers = numbers_from(line);
    if (numbers) column.numbers = std::move(*numbers);
    return numbers && column.numbers.size() == samples.rows();
  }

  std::vector<Recorded> all_;
  std::string log_;
  std::optional<Error> error_;
};

}  // namespace

std::string to_string(const Recorded& recorded) {
  std::string text = fmt::format("probes {}\nseed {}\n", recorded.name, recorded.seed);
  if (!recorded.proof.empty()) text += fmt::format("proof {}\n", recorded.proof);
  for_each_fact(recorded.device, [&](const Fact& fact, const auto& member) {
    text += fmt::format("fact {} {}\n", fact.key, fact_text(member));
  });
  for (const Column& column : recorded.samples.columns) {
    text += "column " + columns_text(Samples{{Column{
                            column.name, column.unit, column.role, column.is_text, {}, {}}}});
    text += "cells " + (column.is_text ? cells_text(column.texts) : numbers_text(column.numbers));
    text += '\n';
  }
  return text + to_string(recorded.log);
}

Result<std::vector<Recorded>> recordings_in(std::string_view text) {
  RecordingReader reader;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = take_until(text, '\n');
    if (line.find_first_not_of(' ') != line.npos && !reader.read(line)) {
      if (reader.error()) return tl::unexpected(*reader.error());
      return fail(Fault::input, fmt::format("line {} is none of a recording of probes", number));
    }
  }
  return reader.take();
}

}  // namespace gpx
