// The text of a log. Interface: probe_log.h. Covered by tests/runtime/probe_log_test.cpp.
#include "runtime/analysis/probe_log.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "lang/vocabulary.h"
#include "lang/words.h"

namespace gpx {
namespace {

constexpr std::uint64_t kMostNumbers = std::uint64_t{1} << 28;  // Of one answer, or one column.

/// The first word of `rest`, which is taken off.
std::string_view take_word(std::string_view& rest) {
  return take_until(rest, ' ');
}

/// Messages stand on one line.
std::string without_breaks(std::string text) {
  for (char& c : text)
    if (c == '\n') c = ' ';
  return text;
}

/// Reads a log line by line.
class LogReader {
 public:
  bool read(std::string_view line) {
    const std::string_view word = take_word(line);
    if (word == "memory") return read_number(line, log_.memory_bytes);
    if (word == "room") return room(line);
    if (word == "ask") return ask(line);
    if (word == "got") return got(line);
    if (word == "finding") return log_.findings.emplace_back(line), answered_;
    return word == "not" && refused(line);
  }
  bool complete() const { return answered_; }
  ProbeLog take() { return std::move(log_); }

 private:
  bool room(std::string_view line) {
    const auto space = space_of(take_word(line));
    return space && read_number(line, log_.most_bytes[*space]);
  }
  bool ask(std::string_view line) {
    std::size_t number = 0;
    if (!answered_ || !read_number(take_word(line), number)) return false;
    if (number != log_.records.size() + 1) return false;
    log_.records.push_back({std::string(line), {}, {}});
    answered_ = false;
    return true;
  }
  bool got(std::string_view line) {
    auto numbers = numbers_from(line);
    if (answered_ || !numbers) return false;
    log_.records.back().answer = std::move(*numbers);
    return answered_ = true;
  }
  bool refused(std::string_view line) {
    const std::string_view how = take_word(line);
    if (answered_ || (how != "refused" && how != "failed")) return false;
    log_.records.back().fault = how == "refused" ? Fault::input : Fault::device;
    log_.records.back().why = std::string(line);
    return answered_ = true;
  }

  ProbeLog log_;
  bool answered_ = true;
};

}  // namespace

std::string numbers_text(const std::vector<double>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    const double value = numbers[i];
    std::size_t end = i + 1;
    while (end < numbers.size() &&
           (numbers[end] == value || (std::isnan(numbers[end]) && std::isnan(value))))
      ++end;
    if (i > 0) text += ' ';
    fmt::format_to(std::back_inserter(text), "{}", value);
    if (end - i > 1) fmt::format_to(std::back_inserter(text), "*{}", end - i);
    i = end;
  }
  return text;
}

std::optional<std::vector<double>> numbers_from(std::string_view text) {
  std::vector<double> numbers;
  while (!text.empty()) {
    const std::string_view word = take_word(text);
    const std::size_t star = std::min(word.find('*'), word.size());
    double value = 0;
    std::uint64_t times = 1;
    if (!read_number(word.substr(0, star), value)) return std::nullopt;
    if (star < word.size() && !read_number(word.substr(star + 1), times)) return std::nullopt;
    if (times == 0 || times > kMostNumbers - numbers.size()) return std::nullopt;
    numbers.insert(numbers.end(), times, value);
  }
  return numbers;
}

std::string to_string(const ProbeLog& log) {
  std::string text = fmt::format("memory {}\n", log.memory_bytes);
  for (const auto& [space, bytes] : log.most_bytes)
    text += fmt::format("room {} {}\n", to_string(space), bytes);
  for (std::size_t i = 0; i < log.records.size(); ++i) {
    const ProbeRecord& record = log.records[i];
    text += fmt::format("ask {} {}\n", i + 1, record.question);
    if (record.why)
      text += fmt::format("not {} {}\n", record.fault == Fault::input ? "refused" : "failed",
                          without_breaks(*record.why));
    else
      text += "got " + numbers_text(record.answer) + '\n';
  }
  for (const std::string& finding : log.findings)
    text += "finding " + without_breaks(finding) + '\n';
  return text;
}

Result<ProbeLog> probe_log_from(std::string_view text) {
  LogReader reader;
  for (std::size_t number = 1; !text.empty(); ++number)
    if (!reader.read(take_until(text, '\n')))
      return fail(Fault::input, fmt::format("line {} of a log of probes cannot be read", number));
  if (!reader.complete()) return fail(Fault::input, "a log of probes ends without an answer");
  return reader.take();
}

}  // namespace gpx
