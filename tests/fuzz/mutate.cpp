// How an input is changed. Nearly every changed byte of a text is a mistake that the first reader
// refuses, and what is refused in a new way is what libFuzzer changes next. So half of the inputs
// begin anew with one that was taken; and besides libFuzzer's own changes of bytes there are
// changes of words and lines: a word that takes another one's place, a line that stands elsewhere.
#include "mutate.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace gpx::fuzz {
namespace {

using Random = std::minstd_rand;

/// A part of a text.
struct Part {
  std::size_t begin = 0, size = 0;
};

std::size_t pick(Random& random, std::size_t count) {
  return std::uniform_int_distribution<std::size_t>(0, count - 1)(random);
}

enum Kind { number, word, mark };

bool in_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '%' || c == '$';
}

Kind kind_of(char c) {
  if (std::isdigit(static_cast<unsigned char>(c))) return number;
  return in_word(c) ? word : mark;
}

/// Numbers (with their units), words and single other characters, without blanks.
std::array<std::vector<Part>, 3> tokens_of(const std::string& text) {
  std::array<std::vector<Part>, 3> tokens;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at++;
    if (std::isspace(static_cast<unsigned char>(text[begin]))) continue;
    const Kind kind = kind_of(text[begin]);
    if (kind != mark)
      while (at < text.size() && (in_word(text[at]) || (text[at] == '.' && kind == number))) ++at;
    tokens[kind].push_back({begin, at - begin});
  }
  return tokens;
}

std::vector<Part> lines_of(const std::string& text) {
  std::vector<Part> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    lines.push_back({at, end - at});
    at = end;
  }
  return lines;
}

/// Of the inputs so far: what one input has, another one may be given.
class Pool {
 public:
  void keep(Random& random, const std::string& part) {
    if (parts_.size() < 2000)
      parts_.push_back(part);
    else
      parts_[pick(random, parts_.size())] = part;
  }
  std::string any(Random& random) const {
    return parts_.empty() ? "" : parts_[pick(random, parts_.size())];
  }

 private:
  std::vector<std::string> parts_;
};

std::string some_number(Random& random) {
  static const std::vector<std::string> all = {"0",
                                               "1",
                                               "2",
                                               "3",
                                               "31",
                                               "32",
                                               "33",
                                               "1024",
                                               "65536",
                                               "2147483647",
                                               "4294967295",
                                               "4294967296",
                                               "1e308",
                                               "0.5",
                                               "1e9",
                                               "9007199254740993",
                                               "0x10",
                                               "1e-320",
                                               "18446744073709551615",
                                               "999999",
                                               "32..64",
                                               "128B"};
  return all[pick(random, all.size())];
}

void change_token(Random& random, std::string& text, std::array<Pool, 3>& pools) {
  const auto tokens = tokens_of(text);
  const auto kind = static_cast<Kind>(pick(random, 3));
  if (tokens[kind].empty()) return;
  const Part part = tokens[kind][pick(random, tokens[kind].size())];
  pools[kind].keep(random, text.substr(part.begin, part.size));
  std::string other = pools[kind].any(random);
  if (kind == number && pick(random, 3) == 0) other = some_number(random);
  if (pick(random, 12) == 0) other.clear();
  text.replace(part.begin, part.size, other);
}

void change_line(Random& random, std::string& text, Pool& pool) {
  const auto lines = lines_of(text);
  if (lines.empty()) return;
  const Part from = lines[pick(random, lines.size())], to = lines[pick(random, lines.size())];
  const std::string line = text.substr(from.begin, from.size);
  pool.keep(random, line);
  switch (pick(random, 4)) {
    case 0: text.erase(from.begin, from.size); break;
    case 1: text.insert(to.begin, line); break;
    case 2: text.insert(to.begin, pool.any(random)); break;
    default: text.replace(to.begin, to.size, pool.any(random));
  }
}

Pool& taken_inputs() {
  static Pool pool;
  return pool;
}

}  // namespace

void keep(const std::string& input) {
  static Random random;
  taken_inputs().keep(random, input);
}

}  // namespace gpx::fuzz

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  using namespace gpx::fuzz;
  static std::array<Pool, 3> tokens;
  static Pool lines;
  Random random(seed);
  if (pick(random, 3) == 0) return LLVMFuzzerMutate(data, size, most);
  std::string text(reinterpret_cast<const char*>(data), size);
  if (pick(random, 2) == 0) text = taken_inputs().any(random);
  for (std::size_t changes = 1 + pick(random, 3); changes > 0; --changes) {
    if (pick(random, 4) == 0)
      change_line(random, text, lines);
    else
      change_token(random, text, tokens);
  }
  if (text.empty()) return LLVMFuzzerMutate(data, size, most);
  const std::size_t length = std::min(text.size(), most);
  std::memcpy(data, text.data(), length);
  return length;
}
