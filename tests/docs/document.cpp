#include "tests/docs/document.h"

#include <algorithm>
#include <fstream>
#include <sstream>

namespace gpx::docs {
namespace {

const std::string kAny = "…";

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

bool is_any(const std::string& line) {
  return trimmed(line) == kAny;
}

/// Trailing spaces do not count: editors take them off.
std::string ended(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

bool line_matches(const std::string& expected, const std::string& actual) {
  const std::string pattern = ended(expected), text = ended(actual);
  std::size_t from = pattern.find(kAny);
  if (from == std::string::npos) return pattern == text;
  if (text.compare(0, from, pattern, 0, from) != 0) return false;
  std::size_t at = from;
  while (true) {
    from += kAny.size();
    const std::size_t next = pattern.find(kAny, from);
    const std::string part = pattern.substr(from, next - from);
    if (next == std::string::npos)
      return text.size() >= at + part.size() &&
             text.compare(text.size() - part.size(), part.size(), part) == 0;
    const std::size_t found = text.find(part, at);
    if (found == std::string::npos) return false;
    at = found + part.size();
    from = next;
  }
}

Block opened(const std::string& info, std::size_t line) {
  Block block;
  block.line = line;
  std::istringstream words(info);
  words >> block.language;
  for (std::string word; words >> word;) block.words.push_back(word);
  return block;
}

void add_spans(Document& document, const std::string& line, std::size_t number) {
  std::size_t from = line.find('`');
  while (from != std::string::npos) {
    const std::size_t to = line.find('`', from + 1);
    if (to == std::string::npos) return;
    document.spans.push_back({number, line.substr(from + 1, to - from - 1)});
    from = line.find('`', to + 1);
  }
}

/// `expected` cut at its lines `…`.
std::vector<Lines> pieces_of(const Lines& expected) {
  std::vector<Lines> pieces(1);
  for (const std::string& line : expected) {
    if (is_any(line)) pieces.emplace_back();
    if (!is_any(line)) pieces.back().push_back(line);
  }
  return pieces;
}

std::size_t alike(const Lines& piece, const Lines& actual, std::size_t begin) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < piece.size() && begin + i < actual.size(); ++i)
    count += line_matches(piece[i], actual[begin + i]);
  return count;
}

/// Where the piece's lines are now: the place from `from` on with the most lines of it.
std::size_t place_of(const Lines& piece, const Lines& actual, std::size_t from) {
  std::size_t best = from;
  for (std::size_t at = from; at + piece.size() <= actual.size(); ++at)
    if (alike(piece, actual, at) > alike(piece, actual, best)) best = at;
  return best;
}

/// Lines of `actual` in place of those of `piece`, which keeps those that still describe them.
void take(Lines& out, const Lines& piece, const Lines& actual, std::size_t begin,
          std::size_t count) {
  for (std::size_t i = begin; i < std::min(begin + count, actual.size()); ++i) {
    const auto kept = std::find_if(piece.begin(), piece.end(), [&](const std::string& line) {
      return line_matches(line, actual[i]);
    });
    out.push_back(kept == piece.end() ? ended(actual[i]) : *kept);
  }
}

}  // namespace

bool Block::has(const std::string& word) const {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string Block::file() const {
  const auto named = std::find_if(words.begin(), words.end(), [](const std::string& word) {
    return word.find('.') != std::string::npos;
  });
  return named == words.end() ? std::string() : *named;
}

Lines split_lines(const std::string& text) {
  Lines lines;
  std::istringstream all(text);
  for (std::string line; std::getline(all, line);) lines.push_back(line);
  return lines;
}

Document parse_document(const std::string& path, const std::string& text) {
  Document document{path, split_lines(text), {}, {}};
  bool inside = false;
  for (std::size_t i = 0; i < document.lines.size(); ++i) {
    const std::string& line = document.lines[i];
    if (line.starts_with("```")) {
      if (!inside) document.blocks.push_back(opened(line.substr(3), i + 1));
      inside = !inside;
    } else if (inside) {
      document.blocks.back().lines.push_back(line);
    } else {
      add_spans(document, line, i + 1);
    }
  }
  return document;
}

Document read_document(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return parse_document(path, text.str());
}

std::vector<Command> commands_of(const Block& block) {
  std::vector<Command> commands;
  bool continued = false;
  for (std::size_t i = 0; i < block.lines.size(); ++i) {
    const std::string& line = block.lines[i];
    if (continued) {
      commands.back().text += '\n' + line;
      ++commands.back().lines;
    } else if (line.starts_with("$ ")) {
      commands.push_back({block.line + 1 + i, 1, line.substr(2), {}});
    } else {
      if (!commands.empty()) commands.back().output.push_back(line);
      continue;
    }
    continued = line.ends_with('\\');
  }
  return commands;
}

bool matches(const Lines& expected, const Lines& actual) {
  // possible[a]: the expected lines so far can describe the first `a` actual lines.
  std::vector<bool> possible(actual.size() + 1, false);
  possible[0] = true;
  for (const std::string& line : expected) {
    std::vector<bool> next(actual.size() + 1, false);
    for (std::size_t a = 0; a <= actual.size(); ++a) {
      if (is_any(line)) next[a] = possible[a] || (a > 0 && next[a - 1]);
      if (!is_any(line) && a > 0) next[a] = possible[a - 1] && line_matches(line, actual[a - 1]);
    }
    possible = next;
  }
  return possible[actual.size()];
}

Lines rebased(const Lines& expected, const Lines& actual) {
  if (matches(expected, actual)) return expected;
  const std::vector<Lines> pieces = pieces_of(expected);
  Lines out;
  if (pieces.size() == 1) {
    take(out, expected, actual, 0, actual.size());
    return out;
  }
  const std::size_t tail = pieces.back().size();
  if (pieces.front().size() + tail > actual.size()) return actual;
  std::size_t at = 0;
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    if (p > 0) out.push_back("…");
    if (p + 1 == pieces.size())
      at = actual.size() - tail;
    else if (p > 0)
      at = place_of(pieces[p], actual, at);
    take(out, pieces[p], actual, at, pieces[p].size());
    at += pieces[p].size();
  }
  return out;
}

}  // namespace gpx::docs
