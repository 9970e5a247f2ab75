// Decoding by the rows of sass.def. Interface: codegen/sass/instruction.h.
//
// A row's modifiers and operands are a small language, read once at the first decoding:
//   modifiers: text, and {P.W:a|b|c}, which picks a name by the field of W bits at P; a field
//   beyond
//     the list prints ".INVALID" and its value, as nvdisasm does. {P.W=V,Q.X=Y:text} prints where
//     the fields have these values.
//   operands: separated by spaces. "=" marks a result. "73?X" and "!73?X" stand only where that bit
//     is set, or clear. d A B C are the destination and the source slots, with the signs that they
//     can carry (- | ~) and the type of an immediate (:i :x :f :d :h). R16 U16 P81 Q81 (uniform)
//     name registers at a bit; "!P87" has its negation at bit 90; a "*" leaves PT out. x32.8 and
//     s32.8 are immediates. @name calls a function of the files of operands (operands.h).
#include "codegen/sass/decode.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace gpx::codegen::sass {
namespace {

struct SourceRow {
  unsigned operation;
  std::string_view forms, name, modifiers, operands, unit;
  int first_sm, last_sm;
};

constexpr SourceRow kRows[] = {
#define SASS(operation, forms, name, modifiers, operands, unit) \
  {operation, forms, name, modifiers, operands, unit, 70, 999},
#define SASS_SM(first, last, operation, forms, name, modifiers, operands, unit) \
  {operation, forms, name, modifiers, operands, unit, first, last},
#include "codegen/sass/sass.def"
#undef SASS
#undef SASS_SM
};

unsigned number(std::string_view& text) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

bool take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

Piece field_piece(std::string_view inside) {
  Piece piece;
  piece.position = number(inside);
  take(inside, '.');
  piece.width = number(inside);
  if (take(inside, '=')) {
    piece.where.push_back({piece.position, piece.width, number(inside)});
    while (take(inside, ',')) {
      Field field;
      field.position = number(inside);
      take(inside, '.');
      field.width = number(inside);
      take(inside, '=');
      field.value = number(inside);
      piece.where.push_back(field);
    }
    take(inside, ':');
    piece.names.push_back(inside);
    return piece;
  }
  take(inside, ':');
  while (true) {
    const std::size_t bar = inside.find('|');
    piece.names.push_back(inside.substr(0, bar));
    if (bar == std::string_view::npos) return piece;
    inside.remove_prefix(bar + 1);
  }
}

std::vector<Piece> read_modifiers(std::string_view text) {
  std::vector<Piece> pieces;
  while (!text.empty()) {
    const std::size_t open = std::min(text.find('{'), text.size());
    if (open > 0) pieces.push_back({0, 0, {}, {text.substr(0, open)}});
    text.remove_prefix(open);
    if (text.empty()) break;
    const std::size_t close = text.find('}');
    pieces.push_back(field_piece(text.substr(1, close - 1)));
    text.remove_prefix(close + 1);
  }
  return pieces;
}

Slot read_slot(std::string_view text) {
  Slot slot;
  slot.written = take(text, '=');
  for (std::size_t mark = text.find('?'); mark != std::string_view::npos; mark = text.find('?')) {
    const bool unset = take(text, '!');
    const unsigned position = number(text);
    slot.conditions.push_back({position, 1, unset ? 0u : 1u});
    take(text, '?');
  }
  slot.can_negate = take(text, '!');
  if (take(text, '@')) {
    slot.function = find_operand_function(text);
    return slot;
  }
  slot.letter = text[0];
  text.remove_prefix(1);
  slot.position = number(text);
  if (take(text, '.')) slot.width = number(text);
  slot.optional = take(text, '*');
  const std::size_t colon = text.find(':');
  slot.signs = text.substr(0, colon);
  if (colon != std::string_view::npos) slot.type = text[colon + 1];
  return slot;
}

std::vector<Slot> read_operands(std::string_view text) {
  std::vector<Slot> slots;
  while (!text.empty()) {
    const std::size_t space = std::min(text.find(' '), text.size());
    if (space > 0) slots.push_back(read_slot(text.substr(0, space)));
    text.remove_prefix(std::min(space + 1, text.size()));
  }
  return slots;
}

/// Rows by operation and form.
class Table {
 public:
  Table() {
    rows_.reserve(std::size(kRows));
    for (const SourceRow& row : kRows) {
      rows_.push_back({row.name, read_modifiers(row.modifiers), read_operands(row.operands),
                       row.unit, row.first_sm, row.last_sm});
      for (const char form : row.forms)
        by_opcode_[row.operation | static_cast<unsigned>(form - '0') << 9].push_back(
            static_cast<std::uint16_t>(rows_.size() - 1));
    }
  }
  const Row* find(const Word& word, int sm) const {
    for (const std::uint16_t i : by_opcode_[word.bits(0, 12)])
      if (sm >= rows_[i].first_sm && sm <= rows_[i].last_sm) return &rows_[i];
    return nullptr;
  }

 private:
  std::vector<Row> rows_;
  std::array<std::vector<std::uint16_t>, 4096> by_opcode_;
};

const Table& table() {
  static const Table made;
  return made;
}

void print(const Piece& piece, const Word& word, std::string& out) {
  if (piece.width == 0) {
    out += piece.names[0];
    return;
  }
  const auto value = word.bits(piece.position, piece.width);
  if (!piece.where.empty()) {
    const auto holds = [&](const Field& f) { return word.bits(f.position, f.width) == f.value; };
    if (std::all_of(piece.where.begin(), piece.where.end(), holds)) out += piece.names[0];
  } else if (value < piece.names.size() && piece.names[value] != "?") {
    out += piece.names[value];
  } else {
    out += fmt::format(".INVALID{}", value);
  }
}

}  // namespace

Instruction decode(const Word& word, int sm, std::uint64_t address) {
  Instruction made;
  made.word = word;
  made.guard = static_cast<std::uint8_t>(word.bits(12, 3));
  made.guard_negated = word.bit(15);
  const Row* row = table().find(word, sm);
  if (row == nullptr) return made;
  made.known = true;
  made.unit = row->unit;
  made.opcode = row->name;
  made.guard_uniform = row->unit == "uniform" || row->unit == "async";
  const Context context{word, sm, address, made};
  for (const Piece& piece : row->modifiers) print(piece, word, made.opcode);
  for (const Slot& slot : row->operands) add_operand(slot, context, made);
  finish(context, made);
  return made;
}

std::vector<Instruction> decode_function(std::span<const std::uint8_t> code, int sm) {
  std::vector<Instruction> all;
  all.reserve(code.size() / kWordBytes);
  for (std::size_t at = 0; at + kWordBytes <= code.size(); at += kWordBytes)
    all.push_back(decode(word_at(code, at), sm, at));
  return all;
}

std::string Instruction::text() const {
  if (!known) return fmt::format("??? 0x{:016x} 0x{:016x}", word.lo, word.hi);
  std::string out;
  if (guard != 7 || guard_negated)
    out = fmt::format("@{}{}P{} ", guard_negated ? "!" : "", guard_uniform ? "U" : "",
                      guard == 7 ? std::string("T") : std::to_string(guard));
  out += opcode;
  bool first = true;
  for (const Operand& operand : operands) {
    out += first ? " " : ", ";
    first = false;
    out += operand.text;
  }
  return out;
}

}  // namespace gpx::codegen::sass
