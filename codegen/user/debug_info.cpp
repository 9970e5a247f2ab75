// Interface: debug_info.h. The information is DWARF 2 to 4 (dwarfstd.org), written by the compiler
// as rows of `.b8`, `.b32` and `.b64` in sections of the PTX; addresses are labels, and not needed.
#include "codegen/user/debug_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "codegen/ir/text.h"
#include "lang/words.h"

namespace gpx::codegen {
namespace dwarf {
namespace {

// ---- The sections of the PTX --------------------------------------------------------------------

using Bytes = std::vector<std::uint8_t>;

/// ".b8 108,103" or ".b32 LABEL": a label is zero.
void add_row(std::string_view row, Bytes& out) {
  unsigned bits = 0;
  const char* end = row.data() + row.size();
  const auto [after, code] = std::from_chars(row.data() + 2, end, bits);
  if (code != std::errc{}) return;
  row.remove_prefix(static_cast<std::size_t>(after - row.data()));
  while (!row.empty()) {
    const std::size_t comma = std::min(row.find(','), row.size());
    const std::string_view number = trimmed(row.substr(0, comma));
    std::int64_t value = 0;
    std::from_chars(number.data(), number.data() + number.size(), value);
    for (unsigned byte = 0; byte < bits / 8; ++byte)
      out.push_back(static_cast<std::uint8_t>(static_cast<std::uint64_t>(value) >> (8 * byte)));
    row.remove_prefix(std::min(comma + 1, row.size()));
  }
}

Bytes section(std::string_view ptx, std::string_view name) {
  Bytes out;
  const std::string head = fmt::format(".section\t{}\n", name);
  std::size_t at = ptx.find(head);
  if (at == ptx.npos) at = ptx.find(fmt::format(".section {}\n", name));
  if (at == ptx.npos) return out;
  for (ptx.remove_prefix(at + head.size()); !ptx.empty();) {
    const std::string_view row = trimmed(take_until(ptx, '\n'));
    if (row.starts_with('}')) break;
    if (row.starts_with(".b")) add_row(row, out);
  }
  return out;
}

// ---- DWARF --------------------------------------------------------------------------------------

enum Tag : std::uint64_t {
  kArray = 0x01,
  kClass = 0x02,
  kEnumeration = 0x04,
  kFormalParameter = 0x05,
  kMember = 0x0d,
  kPointer = 0x0f,
  kReference = 0x10,
  kStructure = 0x13,
  kTypedef = 0x16,
  kUnion = 0x17,
  kInheritance = 0x1c,
  kSubrange = 0x21,
  kBase = 0x24,
  kConst = 0x26,
  kSubprogram = 0x2e,
  kVolatile = 0x35,
};
enum Attribute : std::uint64_t {
  kName = 0x03,
  kByteSize = 0x0b,
  kUpperBound = 0x2f,
  kCount = 0x37,
  kMemberLocation = 0x38,
  kType = 0x49,
  kLinkageName = 0x6e,
  kLinkageNameOfVendors = 0x2007,
};

/// Reads past the end are zeros, and failed() from then on.
class Reader {
 public:
  explicit Reader(const Bytes& bytes, std::size_t at = 0) : bytes_(bytes), at_(at) {}

  std::size_t at() const { return at_; }
  bool failed() const { return failed_; }
  bool done() const { return failed_ || at_ >= bytes_.size(); }

  std::uint64_t fixed(unsigned size) {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < size; ++i) value |= std::uint64_t{byte()} << (8 * i);
    return value;
  }
  std::uint64_t leb() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const std::uint8_t next = byte();
      if (shift < 64) value |= std::uint64_t{next & 0x7fu} << shift;
      if ((next & 0x80u) == 0 || failed_) return value;
    }
  }
  std::string text() {
    std::string out;
    for (std::uint8_t next = byte(); next != 0; next = byte()) out += static_cast<char>(next);
    return out;
  }
  void skip(std::uint64_t count) {
    if (count > bytes_.size() - std::min(at_, bytes_.size()))
      failed_ = true;
    else
      at_ += count;
  }

 private:
  std::uint8_t byte() {
    if (at_ >= bytes_.size()) return failed_ = true, std::uint8_t{0};
    return bytes_[at_++];
  }

  const Bytes& bytes_;
  std::size_t at_;
  bool failed_ = false;
};

struct Abbreviation {
  std::uint64_t tag = 0;
  bool has_children = false;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> attributes;  ///< With their forms.
};
using Abbreviations = std::map<std::uint64_t, Abbreviation>;

Abbreviations read_abbreviations(const Bytes& bytes) {
  Abbreviations all;
  Reader in(bytes);
  while (!in.done()) {
    const std::uint64_t code = in.leb();
    if (code == 0) break;
    Abbreviation& made = all[code];
    made.tag = in.leb();
    made.has_children = in.fixed(1) != 0;
    while (!in.done()) {
      const std::uint64_t name = in.leb(), form = in.leb();
      if (name == 0 && form == 0) break;
      made.attributes.emplace_back(name, form);
    }
  }
  return all;
}

/// An entry of the tree; its children by index.
struct Entry {
  std::uint64_t tag = 0, type = 0, bytes = 0, offset = 0, count = 0;
  std::string name, symbol;
  std::vector<std::size_t> children;
};

struct Tree {
  std::vector<Entry> entries;
  std::map<std::uint64_t, std::size_t> by_offset;

  const Entry* at(std::uint64_t offset) const {
    const auto found = by_offset.find(offset);
    return found == by_offset.end() ? nullptr : &entries[found->second];
  }
};

/// A location of a member is DW_OP_plus_uconst and a number.
std::uint64_t read_block(Reader& in, std::uint64_t size, const Bytes& bytes) {
  constexpr std::uint64_t kPlusUconst = 0x23;
  Reader inside(bytes, in.at());
  in.skip(size);
  return size > 1 && inside.fixed(1) == kPlusUconst ? inside.leb() : 0;
}

/// False: a form that is not known.
bool read_value(Reader& in, const Bytes& bytes, std::uint64_t form, std::uint64_t& number,
                std::string& text) {
  switch (form) {
    case 0x01:  // addr
    case 0x07:  // data8
    case 0x14: return number = in.fixed(8), true;
    case 0x03: return number = read_block(in, in.fixed(2), bytes), true;
    case 0x04: return number = read_block(in, in.fixed(4), bytes), true;
    case 0x05:
    case 0x12: return number = in.fixed(2), true;
    case 0x06:  // data4
    case 0x0e:  // strp: the text is elsewhere
    case 0x10:
    case 0x13:
    case 0x17: return number = in.fixed(4), true;
    case 0x08: return text = in.text(), true;
    case 0x09:
    case 0x18: return number = read_block(in, in.leb(), bytes), true;
    case 0x0a: return number = read_block(in, in.fixed(1), bytes), true;
    case 0x0b:
    case 0x0c:
    case 0x11: return number = in.fixed(1), true;
    case 0x0d:  // sdata, of which no negative one matters here
    case 0x0f:
    case 0x15: return number = in.leb(), true;
    case 0x19: return number = 1, true;
    default: return false;
  }
}

bool read_entry(Reader& in, const Bytes& bytes, const Abbreviation& row, Entry& out) {
  out.tag = row.tag;
  for (const auto& [name, form] : row.attributes) {
    std::uint64_t number = 0;
    std::string text;
    if (!read_value(in, bytes, form, number, text)) return false;
    if (name == kName) out.name = text;
    if (name == kLinkageName || name == kLinkageNameOfVendors) out.symbol = text;
    if (name == kType) out.type = number;
    if (name == kByteSize) out.bytes = number;
    if (name == kMemberLocation) out.offset = number;
    if (name == kCount) out.count = number;
    if (name == kUpperBound) out.count = number + 1;
  }
  return !in.failed();
}

Tree read_tree(const Bytes& info, const Abbreviations& abbreviations) {
  constexpr std::size_t kHeader = 11;  // length, version, offset of the abbreviations, address size
  Tree tree;
  Reader in(info);
  in.skip(kHeader);
  std::vector<std::size_t> parents;
  while (!in.done()) {
    const std::size_t offset = in.at();
    const std::uint64_t code = in.leb();
    if (code == 0) {
      if (parents.empty()) break;
      parents.pop_back();
      continue;
    }
    const auto row = abbreviations.find(code);
    Entry entry;
    if (row == abbreviations.end() || !read_entry(in, info, row->second, entry)) break;
    const std::size_t index = tree.entries.size();
    tree.by_offset[offset] = index;
    if (!parents.empty()) tree.entries[parents.back()].children.push_back(index);
    tree.entries.push_back(std::move(entry));
    if (row->second.has_children) parents.push_back(index);
  }
  return tree;
}

// ---- C++ ----------------------------------------------------------------------------------------

constexpr int kDeepest = 16;  ///< Of types within types.

/// A type as it stands before a name, and what stands behind it: "float", "[8]".
struct Written {
  std::string before, behind;
};

class Declarations {
 public:
  explicit Declarations(const Tree& tree) : tree_(tree) {}

  std::string text() {
    std::string kernels;
    for (const Entry& entry : tree_.entries)
      if (entry.tag == kSubprogram && !entry.name.empty()) kernels += kernel(entry);
    return structs_ + kernels;
  }

 private:
  std::string kernel(const Entry& entry) {
    std::vector<std::string> parts;
    for (const std::size_t child : entry.children) {
      const Entry& parameter = tree_.entries[child];
      if (parameter.tag != kFormalParameter) continue;
      const Written type = written(parameter.type, 0, true);
      const std::string name =
          parameter.name.empty() ? fmt::format("param_{}", parts.size()) : parameter.name;
      parts.push_back(type.before + " " + name);
    }
    return fmt::format("__global__ void {}({});\n",
                       entry.symbol.empty() ? entry.name : entry.symbol, fmt::join(parts, ", "));
  }

  /// The type without names for it and without arrays: their elements are counted.
  /// `alias`: the innermost of the names.
  const Entry* plain(std::uint64_t offset, std::uint64_t& count, std::string& alias) const {
    const Entry* type = tree_.at(offset);
    for (int depth = 0; type && depth < kDeepest; ++depth) {
      const bool through = type->tag == kTypedef || type->tag == kConst || type->tag == kVolatile;
      if (type->tag == kTypedef) alias = type->name;
      if (!through && type->tag != kArray) return type;
      if (type->tag == kArray)
        for (const std::size_t child : type->children)
          if (tree_.entries[child].tag == kSubrange) count *= tree_.entries[child].count;
      type = tree_.at(type->type);
    }
    return nullptr;
  }

  bool is_const(std::uint64_t offset) const {
    const Entry* type = tree_.at(offset);
    for (int depth = 0; type && depth < kDeepest; ++depth) {
      if (type->tag == kConst) return true;
      if (type->tag != kTypedef && type->tag != kVolatile && type->tag != kArray) return false;
      type = tree_.at(type->type);
    }
    return false;
  }

  /// `declares`: the structs among it, which are a part of what is described.
  Written written(std::uint64_t offset, int depth, bool declares) {
    std::uint64_t count = 1;
    std::string alias;
    const Entry* type = plain(offset, count, alias);
    Written out{type ? name_of(*type, alias, depth, declares) : "void",
                count == 1 ? "" : fmt::format("[{}]", count)};
    if (type && type->tag != kPointer && is_const(offset)) out.before = "const " + out.before;
    return out;
  }

  std::string name_of(const Entry& type, const std::string& alias, int depth, bool declares) {
    const std::string& name = type.name.empty() ? alias : type.name;
    switch (type.tag) {
      case kPointer:
      case kReference: return pointed_to(type.type, depth + 1) + "*";
      case kEnumeration: return integer_of(type.bytes);
      case kStructure:
      case kClass:
      case kUnion:
        if (declares && depth < kDeepest) declare(type, name, depth);
        return name.empty() ? "struct" : name;
      default: return name.empty() ? "void" : name;
    }
  }

  /// What a pointer points to; a struct there is named and not declared.
  std::string pointed_to(std::uint64_t offset, int depth) {
    return depth < kDeepest ? written(offset, depth, false).before : "void";
  }

  static std::string integer_of(std::uint64_t bytes) {
    return bytes == 1 ? "unsigned char" : bytes == 2 ? "short" : bytes == 8 ? "long long" : "int";
  }

  void declare(const Entry& type, const std::string& name, int depth) {
    if (name.empty() || type.tag == kUnion || !declared_.insert(name).second) return;
    std::string body;
    for (const std::size_t child : type.children) {
      const Entry& member = tree_.entries[child];
      if (member.tag == kInheritance) return;
      if (member.tag != kMember) continue;
      const Written one = written(member.type, depth + 1, true);
      body += fmt::format(" {} {}{};", one.before, member.name, one.behind);
    }
    structs_ += fmt::format("struct {} {{{} }};\n", name, body);
  }

  const Tree& tree_;
  std::set<std::string> declared_;
  std::string structs_;
};

}  // namespace
}  // namespace dwarf

std::string declarations_of(std::string_view ptx) {
  const dwarf::Bytes info = dwarf::section(ptx, ".debug_info");
  if (info.empty()) return {};
  const dwarf::Bytes abbreviations = dwarf::section(ptx, ".debug_abbrev");
  const dwarf::Tree tree = dwarf::read_tree(info, dwarf::read_abbreviations(abbreviations));
  return dwarf::Declarations(tree).text();
}

}  // namespace gpx::codegen
