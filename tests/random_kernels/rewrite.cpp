// Interface: rewrite.h. It reads what NVRTC prints: a label, an instruction or a directive a line,
// braces of functions and calls on lines of their own.
#include "rewrite.h"

#include <algorithm>
#include <sstream>
#include <string_view>
#include <vector>

#include "program.h"

namespace gpx::random_kernels {
namespace {

bool starts(std::string_view line, std::string_view with) {
  const auto at = line.find_first_not_of(" \t");
  return at != line.npos && line.substr(at).starts_with(with);
}

std::string renamed(std::string line) {
  for (const std::string_view name : {"%rd", "%rs", "%r", "%fd", "%f", "%p"}) {
    for (auto at = line.find(name); at != line.npos; at = line.find(name, at + name.size() + 2)) {
      const auto after = at + name.size();
      const bool whole =
          after < line.size() &&
          (std::isdigit(static_cast<unsigned char>(line[after])) || line[after] == '<');
      if (whole) line.insert(at + 1, "z_");
    }
  }
  return line;
}

/// The lines between a function's outer braces, in another order.
class Body {
 public:
  void line(const std::string& text) {
    const int before = depth_;
    depth_ += static_cast<int>(std::ranges::count(text, '{') - std::ranges::count(text, '}'));
    const bool label = before == 0 && text.starts_with("$L") && text.ends_with(":");
    if (label) begin(text.substr(0, text.size() - 1));
    if (blocks_.empty() && before == 0 && !starts(text, ".") && !starts(text, "//") &&
        text.find_first_not_of(" \t") != text.npos && !label)
      blocks_.push_back({});
    (blocks_.empty() ? head_ : blocks_.back()).push_back(text);
  }

  /// Within braces: a call, or what was written as assembly.
  bool nested() const { return depth_ > 0; }

  std::string text(Random& random) {
    for (std::size_t k = blocks_.size(); k > 2; --k)
      std::swap(blocks_[k - 1], blocks_[1 + random.below(static_cast<unsigned>(k - 1))]);
    std::string made;
    for (const std::string& line : head_) made += line + '\n';
    for (const auto& block : blocks_)
      for (const std::string& line : block) made += line + '\n';
    return made;
  }

 private:
  // The block before falls into the new one, unless it ends in a jump: then the branch is dead.
  void begin(const std::string& label) {
    if (blocks_.empty()) blocks_.push_back({});
    blocks_.back().push_back("\tbra " + label + ";");
    blocks_.push_back({});
  }

  std::vector<std::string> head_;
  std::vector<std::vector<std::string>> blocks_;
  int depth_ = 0;
};

}  // namespace

std::string rewritten(const std::string& ptx, u64 seed) {
  Random random(seed);
  std::istringstream in(ptx);
  std::string made, line;
  std::vector<Body> body;
  while (std::getline(in, line)) {
    line = renamed(line);
    if (line == "}" && !body.empty() && !body.back().nested()) {
      made += body.back().text(random);
      body.clear();
    }
    if (body.empty())
      made += line + '\n';
    else
      body.back().line(line);
    if (line == "{" && body.empty()) body.emplace_back();
  }
  return made;
}

}  // namespace gpx::random_kernels
