// Lexing of PTX. Interface: cursor.h. Covered by tests/vgpu/ptx_test.cpp.
#include "codegen/ptx/cursor.h"

#include <bit>
#include <cstdlib>
#include <string>

namespace gpx::ptx {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_name(char c) {
  return is_letter(c) || is_digit(c) || c == '_' || c == '$';
}

unsigned digit_value(char c) {
  if (is_digit(c)) return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
  return 99;
}

}  // namespace

Number Number::negated() const {
  Number result = *this;
  result.value = -value;
  if (kind == Kind::integer) result.bits = 0 - bits;
  if (kind == Kind::f32_bits) result.bits = bits ^ 0x80000000u;
  if (kind == Kind::f64_bits) result.bits = bits ^ (1ull << 63);
  return result;
}

bool Cursor::skip_comment() {
  if (peek() != '/') return false;
  if (peek(1) == '/') {
    const std::string_view comment = text_.substr(at_);
    if (comment.starts_with("// begin inline asm")) ++asm_, in_asm_ = true;
    if (comment.starts_with("// end inline asm")) in_asm_ = false;
    while (at_ < text_.size() && text_[at_] != '\n') ++at_;
    return true;
  }
  if (peek(1) != '*') return false;
  for (at_ += 2; at_ < text_.size(); ++at_) {
    if (text_[at_] == '*' && peek(1) == '/') {
      at_ += 2;
      break;
    }
    if (text_[at_] == '\n') ++line_;
  }
  return true;
}

void Cursor::skip() {
  while (at_ < text_.size()) {
    char c = text_[at_];
    if (c == '\n') {
      ++line_;
      ++at_;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\0') {
      ++at_;  // NVRTC's text ends in a NUL
    } else if (!skip_comment()) {
      return;
    }
  }
}

bool Cursor::accept(char c) {
  if (peek() != c || done()) return false;
  ++at_;
  skip();
  return true;
}

std::string_view Cursor::name() {
  std::size_t begin = at_;
  char c = peek();
  if (c != '%' && (!is_name(c) || is_digit(c))) return {};
  ++at_;
  while (is_name(peek())) ++at_;
  auto result = text_.substr(begin, at_ - begin);
  skip();
  return result;
}

std::string_view Cursor::mnemonic() {
  std::size_t begin = at_;
  while (is_name(peek()) || peek() == '.' || (peek() == ':' && peek(1) == ':')) {
    at_ += peek() == ':' ? 2 : 1;
  }
  auto result = text_.substr(begin, at_ - begin);
  skip();
  return result;
}

std::string_view Cursor::token() {
  const auto in_run = [this] { return is_name(peek()) || peek() == '%' || peek() == '.'; };
  const std::size_t begin = at_;
  while (in_run()) ++at_;
  if (at_ == begin && !done()) ++at_;
  auto result = text_.substr(begin, at_ - begin);
  skip();
  return result;
}

bool Cursor::digits(unsigned base, std::uint64_t& out) {
  std::size_t begin = at_;
  for (out = 0; digit_value(peek()) < base; ++at_) out = out * base + digit_value(peek());
  return at_ > begin;
}

bool Cursor::float_bits(Number& out, unsigned count, Number::Kind kind) {
  at_ += 2;
  std::size_t begin = at_;
  if (!digits(16, out.bits) || at_ - begin != count) return false;
  out.kind = kind;
  out.value = kind == Number::Kind::f32_bits
                  ? static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(out.bits)))
                  : std::bit_cast<double>(out.bits);
  return true;
}

bool Cursor::decimal(Number& out) {
  std::size_t end = at_;
  auto take = [&] {
    while (end < text_.size() && is_digit(text_[end])) ++end;
  };
  auto next = [&](std::size_t i) { return i < text_.size() ? text_[i] : '\0'; };
  take();
  bool is_float = next(end) == '.';
  if (is_float) {
    ++end;
    take();
  }
  if (next(end) == 'e' || next(end) == 'E') {
    std::size_t sign = end + 1 + (next(end + 1) == '+' || next(end + 1) == '-');
    if (is_digit(next(sign))) {
      is_float = true;
      end = sign;
      take();
    }
  }
  if (!is_float) {
    // A leading 0 makes it octal, as in C.
    return digits(peek() == '0' ? 8 : 10, out.bits);
  }
  out.kind = Number::Kind::decimal;
  out.value = std::strtod(std::string(text_.substr(at_, end - at_)).c_str(), nullptr);
  at_ = end;
  return true;
}

bool Cursor::number(Number& out) {
  out = {};
  if (peek() == '-' || peek() == '+') {
    bool minus = peek() == '-';
    accept(peek());
    if (!is_digit(peek()) || !number(out)) return false;
    if (minus) out = out.negated();
    return true;
  }
  if (!is_digit(peek())) return false;
  char kind = peek() == '0' ? peek(1) : '\0';
  bool ok;
  if (kind == 'f' || kind == 'F') {
    ok = float_bits(out, 8, Number::Kind::f32_bits);
  } else if (kind == 'd' || kind == 'D') {
    ok = float_bits(out, 16, Number::Kind::f64_bits);
  } else if (kind == 'x' || kind == 'X') {
    at_ += 2;
    ok = digits(16, out.bits);
  } else if (kind == 'b' || kind == 'B') {
    at_ += 2;
    ok = digits(2, out.bits);
  } else {
    ok = decimal(out);
  }
  if (ok && out.kind == Number::Kind::integer && peek() == 'U') ++at_;
  if (!ok || is_name(peek())) return false;
  skip();
  return true;
}

bool Cursor::string(std::string_view& out) {
  if (peek() != '"') return false;
  std::size_t end = text_.find_first_of("\"\n", at_ + 1);
  if (end == std::string_view::npos || text_[end] != '"') return false;
  out = text_.substr(at_ + 1, end - at_ - 1);
  at_ = end + 1;
  skip();
  return true;
}

void Cursor::skip_line() {
  while (at_ < text_.size() && text_[at_] != '\n') ++at_;
  skip();
}

bool Cursor::skip_braces() {
  int depth = 0;
  while (!done()) {
    char c = peek();
    if (c == '{') ++depth;
    if (c == '}' && --depth == 0) return accept('}');
    ++at_;
    skip();
  }
  return false;
}

}  // namespace gpx::ptx
