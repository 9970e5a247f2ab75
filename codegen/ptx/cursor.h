// A reading position in a PTX text: white space, comments, names and numbers.
//
// Interface: Cursor, Number. The text must outlive the names taken from it. Covered by
// tests/vgpu/ptx_test.cpp.
#pragma once

#include <cstdint>
#include <string_view>

namespace gpx::ptx {

/// A literal as written: an integer, or a float with its spelling's precision.
struct Number {
  enum class Kind { integer, f32_bits, f64_bits, decimal } kind = Kind::integer;
  std::uint64_t bits = 0;  ///< Integer, or the bits of 0f / 0d.
  double value = 0;        ///< Of a float literal, whatever its spelling.
  Number negated() const;
};

class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) { skip(); }

  std::uint32_t position() const { return static_cast<std::uint32_t>(at_); }
  int line() const { return line_; }
  bool done() const { return at_ >= text_.size(); }
  /// Which inline assembly of the source the cursor stands in, from 1, by the compiler's comments
  /// around it; 0: none.
  std::uint32_t inline_asm() const { return in_asm_ ? asm_ : 0; }
  /// The character at the cursor plus `ahead`; 0 past the end.
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  /// Takes `c` and the space after it, if it is next.
  bool accept(char c);
  /// Takes letters, digits, '_', '$' and a leading '%'; empty if there is none.
  std::string_view name();
  /// A mnemonic with its dots and '::'.
  std::string_view mnemonic();
  /// Whatever is next: a run of letters, digits, '_', '$', '%' and '.', else one character.
  std::string_view token();
  /// False: no number here, or a malformed one.
  bool number(Number& out);
  bool string(std::string_view& out);
  void skip_line();
  /// Skips to the matching '}' of the '{' at the cursor. False: the text ends first.
  bool skip_braces();

 private:
  void skip();
  bool skip_comment();
  bool float_bits(Number& out, unsigned digits, Number::Kind kind);
  bool decimal(Number& out);
  bool digits(unsigned base, std::uint64_t& out);

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  std::uint32_t asm_ = 0;  // Inline assemblies so far.
  bool in_asm_ = false;
};

}  // namespace gpx::ptx
