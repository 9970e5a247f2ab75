// Structs of a kernel's file. Interface: struct_text.h.
#include "codegen/user/struct_text.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>

#include "codegen/ir/text.h"
#include "lang/lists.h"

namespace gpx::codegen {
namespace {

using MemberKind = StructMember::Kind;

struct MemberType {
  const char* name;
  MemberKind kind;
  std::uint32_t bytes;
};

/// Without const and volatile, as one blank joins the words. `long` is that of Linux.
constexpr MemberType kMemberTypes[] = {
    {"float", MemberKind::real, 4},
    {"double", MemberKind::real, 8},
    {"bool", MemberKind::integer, 1},
    {"char", MemberKind::integer, 1},
    {"signed char", MemberKind::integer, 1},
    {"unsigned char", MemberKind::integer, 1},
    {"int8_t", MemberKind::integer, 1},
    {"uint8_t", MemberKind::integer, 1},
    {"short", MemberKind::integer, 2},
    {"unsigned short", MemberKind::integer, 2},
    {"int16_t", MemberKind::integer, 2},
    {"uint16_t", MemberKind::integer, 2},
    {"int", MemberKind::integer, 4},
    {"unsigned", MemberKind::integer, 4},
    {"unsigned int", MemberKind::integer, 4},
    {"int32_t", MemberKind::integer, 4},
    {"uint32_t", MemberKind::integer, 4},
    {"long", MemberKind::integer, 8},
    {"unsigned long", MemberKind::integer, 8},
    {"long long", MemberKind::integer, 8},
    {"unsigned long long", MemberKind::integer, 8},
    {"int64_t", MemberKind::integer, 8},
    {"uint64_t", MemberKind::integer, 8},
    {"size_t", MemberKind::integer, 8},
};

constexpr std::string_view kBlanks = " \t\n\v\f\r";

/// A word, a number, or a sign of one character; where it stands in the text.
struct Token {
  std::string_view text;
  bool is_word = false, is_number = false;
};
using Tokens = std::span<const Token>;

bool is_decimal_digit(char c) {
  return c >= '0' && c <= '9';
}

/// `std::` means nothing here and is left out.
std::vector<Token> tokens_of(std::string_view code) {
  std::vector<Token> out;
  for (std::size_t at = code.find_first_not_of(kBlanks); at < code.size();) {
    const bool number = is_decimal_digit(code[at]), word = !number && in_word(code[at]);
    std::size_t end = at + 1;
    while ((word || number) && end < code.size() && in_word(code[end])) ++end;
    const std::string_view text = code.substr(at, end - at);
    if (text == "std" && code.substr(end, 2) == "::")
      end += 2;
    else
      out.push_back({text, word, number && std::ranges::all_of(text, is_decimal_digit)});
    at = code.find_first_not_of(kBlanks, end);
  }
  return out;
}

bool is(Tokens tokens, std::size_t index, std::string_view text) {
  return index < tokens.size() && tokens[index].text == text;
}

/// Blanks and ends of lines are one blank, `std::` is left out.
std::string on_one_line(std::string_view text) {
  std::string out;
  for (std::size_t at = text.find_first_not_of(kBlanks); at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(kBlanks, at), text.size());
    if (!out.empty()) out += ' ';
    out += text.substr(at, end - at);
    at = text.find_first_not_of(kBlanks, end);
  }
  for (std::size_t at = 0; (at = out.find("std::", at)) != out.npos;)
    if (at > 0 && in_word(out[at - 1]))
      at += 5;
    else
      out.erase(at, 5);
  return out;
}

std::string spaced(Tokens words) {
  return joined(words, " ", &Token::text);
}

/// "const float" is `float`; nothing of a type that the table does not have.
const MemberType* type_named(Tokens words) {
  std::vector<Token> plain;
  std::ranges::copy_if(words, std::back_inserter(plain), [](const Token& word) {
    return word.text != "const" && word.text != "volatile";
  });
  const std::string name = spaced(plain);
  const auto* found =
      std::ranges::find_if(kMemberTypes, [&](const MemberType& row) { return row.name == name; });
  return found == std::end(kMemberTypes) ? nullptr : found;
}

/// The most elements of an array that are listed one by one.
constexpr std::size_t kMostDigits = 3;

/// "float x, *y, w[4]": false where a part is none of those.
bool add_members(Tokens declaration, DeclaredStruct& out) {
  std::size_t words = 0;
  while (words < declaration.size() && declaration[words].is_word) ++words;
  // The last word is the first member's name, but for a pointer's: "float *y".
  const std::size_t at_star = is(declaration, words, "*") ? words : words - 1;
  if (words == 0 || at_star == 0) return false;
  const Tokens type = declaration.first(at_star);
  const MemberType* row = type_named(type);
  for (std::size_t at = at_star;; ++at) {
    const bool pointer = is(declaration, at, "*");
    if (pointer) ++at;
    if (at >= declaration.size() || !declaration[at].is_word || (!pointer && !row)) return false;
    const std::string name(declaration[at++].text);
    std::string array;
    unsigned long count = 1;
    if (is(declaration, at, "[")) {
      if (at + 2 >= declaration.size() || !declaration[at + 1].is_number ||
          declaration[at + 1].text.size() > kMostDigits || !is(declaration, at + 2, "]"))
        return false;
      array = "[" + std::string(declaration[at + 1].text) + "]";
      count = std::stoul(std::string(declaration[at + 1].text));
      at += 3;
    }
    for (unsigned long i = 0; i < count; ++i)
      out.members.push_back({spaced(type) + (pointer ? "* " : " ") + name + array,
                             pointer ? MemberKind::pointer : row->kind, pointer ? 8 : row->bytes});
    if (at == declaration.size()) return true;
    if (!is(declaration, at, ",")) return false;
  }
}

/// Each at the next multiple of its size, as C++ lays them out; the bytes of all.
std::uint32_t lay_out(std::vector<StructMember>& members) {
  std::uint32_t end = 0, widest = 1;
  for (StructMember& member : members) {
    member.offset = (end + member.bytes - 1) / member.bytes * member.bytes;
    end = member.offset + member.bytes;
    widest = std::max(widest, member.bytes);
  }
  return (end + widest - 1) / widest * widest;
}

/// What stands between the braces of the only struct of that name; nothing where braces stand
/// there.
std::optional<Tokens> body_of(Tokens code, std::string_view name) {
  std::optional<Tokens> found;
  for (std::size_t at = 0; at < code.size(); ++at) {
    if (!is(code, at, "struct") || !is(code, at + 1, name) || !is(code, at + 2, "{")) continue;
    std::size_t end = at + 3;
    while (end < code.size() && code[end].text != "{" && code[end].text != "}") ++end;
    if (!is(code, end, "}")) continue;
    if (found) return std::nullopt;
    found = code.subspan(at + 3, end - at - 3);
  }
  return found;
}

/// "const P", "struct P", "const __grid_constant__ P": P. Nothing for what is more than a name.
std::string_view struct_name(Tokens type) {
  std::string_view name;
  for (const Token& token : type) {
    if (token.text == "const" || token.text == "__grid_constant__") continue;
    if (token.text == "struct" && name.empty()) continue;
    if (!token.is_word || !name.empty()) return {};
    name = token.text;
  }
  return name;
}

}  // namespace

DeclaredStruct declared_struct(std::string_view code, std::string_view type, std::uint32_t bytes) {
  const std::vector<Token> of_type = tokens_of(type), of_code = tokens_of(code);
  const std::string_view name = struct_name(of_type);
  if (name.empty()) return {};
  const std::optional<Tokens> body = body_of(of_code, name);
  if (!body) return {};
  DeclaredStruct out;
  for (auto at = body->begin(); at != body->end();) {
    const auto end = std::find_if(at, body->end(), [](const Token& t) { return t.text == ";"; });
    if (at != end && !add_members(Tokens(at, end), out)) return {};
    at = end == body->end() ? end : std::next(end);
  }
  if (lay_out(out.members) != bytes) return {};
  const std::string_view inside =
      body->empty() ? std::string_view()
                    : std::string_view(body->front().text.data(),
                                       body->back().text.data() + body->back().text.size());
  out.text = "struct " + std::string(name) + " { " + on_one_line(inside) + " }";
  return out;
}

const StructMember* misfit(const DeclaredStruct& declared, const StructMember& given) {
  const auto under = std::ranges::find_if(declared.members, [&](const StructMember& member) {
    return given.offset >= member.offset && given.offset < member.offset + member.bytes;
  });
  if (under == declared.members.end()) return nullptr;
  const bool fits =
      given.kind == under->kind && given.bytes == under->bytes && given.offset == under->offset;
  return fits ? nullptr : &*under;
}

}  // namespace gpx::codegen
