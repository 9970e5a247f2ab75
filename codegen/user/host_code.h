// HostCode: the code for the host in a CUDA source, and the source without it.
//
// nvcc compiles a source twice, once for the host and once for the device; NVRTC compiles it once,
// for the device. Functions and classes that name no side are code for the device there, if they
// compile as such. What does not compile is taken out, a definition at a time, and nothing that
// names the device (__device__, __global__, a macro that expands to one) ever is. Lines keep their
// numbers. Covered by tests/codegen/host_code_test.cpp.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gpx::codegen {

/// A text with the same bytes at the same places, of which comments, texts and lines of the
/// preprocessor are blanks. Of #if and its branches those behind #else and #elif are blanks, too,
/// if `one_branch`.
std::string only_code(std::string_view text, bool one_branch = false);

/// Whether the word stands in the text, not as a part of another.
bool has_word(std::string_view text, std::string_view word);

class HostCode {
 public:
  explicit HostCode(std::string text);

  /// Takes out the innermost definition of the host at that place that is still there, its body
  /// first; false: there is none. Column 0: those of the whole line.
  bool cut(int line, int column = 0);
  /// Puts back definitions of that name which were taken out whole, and keeps them from then on:
  /// code for the device needs them, so their own mistakes are the file's. False: there is none.
  bool restore(std::string_view name);
  const std::string& text() const { return text_; }

 private:
  struct Region {
    std::size_t begin = 0, end = 0;
    std::size_t body = 0;  ///< Where what a declaration can do without begins; `end`: nowhere.
    int parent = -1;
    bool device = false;  ///< It names the device, or holds what does.
    bool member = false;  ///< Of a class.
    bool function = false;
    bool is_virtual = false;
    int cuts = 0;  ///< 1: the body, 2: all of it.
  };
  class Finder;

  bool cut(Region& region);
  bool defines(const Region& region, std::string_view name) const;
  void blank(std::size_t begin, std::size_t end, bool declared);

  std::string text_;
  std::string original_;
  std::vector<Region> regions_;
  std::vector<std::size_t> lines_;
};

}  // namespace gpx::codegen
