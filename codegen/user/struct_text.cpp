// Structs of a kernel's file. Interface: struct_text.h.
#include "codegen/user/struct_text.h"

#include <algorithm>
#include <optional>
#include <regex>

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

std::string on_one_line(const std::string& text) {
  static const std::regex kBlanks("\\s+");
  static const std::regex kStd("\\bstd::");
  const std::string joined = std::regex_replace(std::regex_replace(text, kStd, ""), kBlanks, " ");
  const std::size_t begin = joined.find_first_not_of(' ');
  return begin == joined.npos ? "" : joined.substr(begin, joined.find_last_not_of(' ') + 1 - begin);
}

/// "const float" is `float`; nothing of a type that the table does not have.
const MemberType* type_named(const std::string& words) {
  static const std::regex kQualifiers("\\b(const|volatile)\\b");
  const std::string name = on_one_line(std::regex_replace(words, kQualifiers, " "));
  const auto* found =
      std::ranges::find_if(kMemberTypes, [&](const MemberType& row) { return row.name == name; });
  return found == std::end(kMemberTypes) ? nullptr : found;
}

/// "float x, *y, w[4]": false where a part is none of those.
bool add_members(const std::string& declaration, DeclaredStruct& out) {
  static const std::regex kDeclarator(
      "\\s*([*]?)\\s*([A-Za-z_]\\w*)\\s*(?:\\[\\s*(\\d{1,3})\\s*\\])?"
      "\\s*(,|$)");
  std::smatch whole;
  static const std::regex kHead(
      "^((?:[A-Za-z_]\\w*\\s+)*[A-Za-z_]\\w*)(\\s*[*]\\s*|\\s+)"
      "([A-Za-z_].*)$");
  const std::size_t comma = declaration.find(',');
  const std::string first = declaration.substr(0, comma);
  if (!std::regex_match(first, whole, kHead)) return false;
  const std::string type = whole[1];
  const MemberType* row = type_named(type);
  std::string rest = whole[2].str() + whole[3].str();
  if (comma != declaration.npos) rest += declaration.substr(comma);
  while (!rest.empty()) {
    std::smatch one;
    if (!std::regex_search(rest, one, kDeclarator, std::regex_constants::match_continuous))
      return false;
    const bool pointer = one[1].length() > 0;
    if (!pointer && !row) return false;
    const std::string name = one[2];
    const std::string array = one[3].matched ? "[" + one[3].str() + "]" : "";
    const unsigned long count = one[3].matched ? std::stoul(one[3]) : 1;
    for (unsigned long i = 0; i < count; ++i)
      out.members.push_back({type + (pointer ? "* " : " ") + name + array,
                             pointer ? MemberKind::pointer : row->kind, pointer ? 8 : row->bytes});
    rest = one.suffix();
  }
  return true;
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

/// The text between the braces of the only struct of that name.
std::optional<std::string> body_of(const std::string& code, const std::string& name) {
  const std::regex head("\\bstruct\\s+" + name + "\\s*\\{([^{}]*)\\}");
  std::smatch found;
  if (!std::regex_search(code, found, head)) return std::nullopt;
  const std::string after = found.suffix();
  if (std::regex_search(after, head)) return std::nullopt;
  return found[1].str();
}

}  // namespace

DeclaredStruct declared_struct(std::string_view code, std::string_view type, std::uint32_t bytes) {
  static const std::regex kName(
      "(?:(?:const|struct|__grid_constant__)\\s+)*([A-Za-z_]\\w*)"
      "(?:\\s+(?:const|__grid_constant__))*");
  std::smatch named;
  const std::string text(type);
  if (!std::regex_match(text, named, kName)) return {};
  const auto body = body_of(std::string(code), named[1]);
  if (!body) return {};
  DeclaredStruct out{"struct " + named[1].str() + " { " + on_one_line(*body) + " }", {}};
  for (std::size_t at = 0; at < body->size();) {
    const std::size_t end = std::min(body->find(';', at), body->size());
    const std::string declaration = on_one_line(body->substr(at, end - at));
    if (!declaration.empty() && !add_members(declaration, out)) return {};
    at = end + 1;
  }
  return lay_out(out.members) == bytes ? out : DeclaredStruct{};
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
