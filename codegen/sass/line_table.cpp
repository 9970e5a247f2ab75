// Line tables. Interface: codegen/sass/line_table.h.
#include "codegen/sass/line_table.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace gpx::codegen::sass {
namespace {

/// Numbers one after the other; past the end there are zeros, and ended() holds.
class Reader {
 public:
  explicit Reader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  std::size_t place() const { return at_; }
  bool ended() const { return at_ >= bytes_.size(); }
  void go(std::uint64_t place) {
    at_ = static_cast<std::size_t>(std::min<std::uint64_t>(place, bytes_.size()));
  }
  template <typename Number>
  Number take() {
    const Number value = read_number<Number>(bytes_, at_).value_or(0);
    go(at_ + sizeof(Number));
    return value;
  }
  std::uint64_t take_unsigned() { return take_parts(false); }
  std::int64_t take_signed() { return static_cast<std::int64_t>(take_parts(true)); }
  std::string_view take_text() {
    const std::string_view text = text_at(bytes_, at_);
    go(at_ + text.size() + 1);
    return text;
  }

 private:
  /// LEB128: seven bits a byte, the lowest first.
  std::uint64_t take_parts(bool is_signed) {
    std::uint64_t value = 0;
    unsigned shift = 0;
    std::uint8_t byte = 0;
    do {
      byte = take<std::uint8_t>();
      if (shift < 64) value |= static_cast<std::uint64_t>(byte & 127u) << shift;
      shift += 7;
    } while ((byte & 128u) != 0 && !ended());
    if (is_signed && (byte & 64u) != 0 && shift < 64) value |= ~std::uint64_t{0} << shift;
    return value;
  }

  std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
};

/// Sections whose addresses the loader would put at places of .debug_line.
std::map<std::uint64_t, std::uint16_t> relocations(const Elf& elf) {
  std::map<std::uint64_t, std::uint16_t> sections;
  const auto symbols = elf.symbols();
  for (const auto& [name, size] : {std::pair<std::string_view, std::size_t>{".rela.debug_line", 24},
                                   {".rel.debug_line", 16}}) {
    const ElfSection* found = elf.find(name);
    for (std::size_t at = 0; found && at + size <= found->bytes.size(); at += size) {
      const auto symbol = *read_number<std::uint64_t>(found->bytes, at + 8) >> 32;
      if (symbol < symbols.size())
        sections[*read_number<std::uint64_t>(found->bytes, at)] = symbols[symbol].section;
    }
  }
  return sections;
}

/// One compilation's part of .debug_line: its header, and a program for a machine that makes rows.
class Unit {
 public:
  using Rows = std::map<std::uint16_t, std::vector<LineRow>>;
  Unit(Reader& reader, const std::map<std::uint64_t, std::uint16_t>& sections, Rows& rows)
      : in_(reader), sections_(sections), rows_(rows) {}

  void read() {
    const auto length = in_.take<std::uint32_t>();
    const std::uint64_t end = in_.place() + std::uint64_t{length};
    const auto version = in_.take<std::uint16_t>();
    if (version >= 2 && version <= 4) {
      header(version);
      while (line_range_ != 0 && in_.place() < end && !in_.ended()) step();
    }
    in_.go(end);
  }

 private:
  void header(unsigned version) {
    const auto length = in_.take<std::uint32_t>();
    const std::uint64_t program = in_.place() + std::uint64_t{length};
    unit_bytes_ = in_.take<std::uint8_t>();
    if (version >= 4) in_.take<std::uint8_t>();
    in_.take<std::uint8_t>();
    line_base_ = in_.take<std::int8_t>();
    line_range_ = in_.take<std::uint8_t>();
    opcode_base_ = in_.take<std::uint8_t>();
    for (unsigned i = 1; i < opcode_base_; ++i) arguments_.push_back(in_.take<std::uint8_t>());
    while (!in_.ended() && !in_.take_text().empty()) {
    }
    while (!in_.ended() && in_.place() < program) {
      const std::string_view name = in_.take_text();
      if (name.empty()) break;
      for (int i = 0; i < 3; ++i) in_.take_unsigned();
      files_.push_back(name);
    }
    in_.go(program);
  }

  void step() {
    const unsigned opcode = in_.take<std::uint8_t>();
    if (opcode >= opcode_base_) {
      const unsigned both = opcode - opcode_base_;
      address_ += std::uint64_t{both / line_range_} * unit_bytes_;
      advance_line(line_base_ + static_cast<std::int64_t>(both % line_range_));
      add_row();
    } else if (opcode == 0) {
      extended();
    } else {
      standard(opcode);
    }
  }

  /// Of those of NVIDIA 0x90 is known: the row of the sequence that a function was inlined at.
  void extended() {
    const std::uint64_t length = in_.take_unsigned();
    const std::uint64_t end = in_.place() + std::min<std::uint64_t>(length, 1u << 30);
    const unsigned opcode = in_.take<std::uint8_t>();
    if (opcode == 1) {
      line_ = 1;
      file_ = 1;
      caller_ = 0;
      section_.reset();
      sequence_.clear();
    } else if (opcode == 0x90) {
      caller_ = in_.take_unsigned();
    } else if (opcode == 2) {
      const auto found = sections_.find(in_.place());
      section_ = found == sections_.end() ? std::nullopt : std::optional(found->second);
      address_ = in_.take<std::uint64_t>();
    }
    in_.go(end);
  }

  void standard(unsigned opcode) {
    switch (opcode) {
      case 1: return add_row();
      case 2: address_ += in_.take_unsigned() * unit_bytes_; return;
      case 3: advance_line(in_.take_signed()); return;
      case 4: file_ = in_.take_unsigned(); return;
      case 8: address_ += std::uint64_t{(255 - opcode_base_) / line_range_} * unit_bytes_; return;
      case 9: address_ += in_.take<std::uint16_t>(); return;
      default:
        for (unsigned i = 0; i < arguments_[opcode - 1]; ++i) in_.take_unsigned();
    }
  }

  /// A damaged table may step anywhere.
  void advance_line(std::int64_t by) {
    line_ = static_cast<std::int64_t>(static_cast<std::uint64_t>(line_) +
                                      static_cast<std::uint64_t>(by));
  }

  void add_row() {
    if (!section_) return;
    const bool known = file_ >= 1 && file_ <= files_.size();
    const bool sane = line_ > 0 && line_ < INT32_MAX;
    LineRow row{address_,
                sane ? static_cast<std::uint32_t>(line_) : 0,
                known ? files_[file_ - 1] : std::string_view(),
                0,
                0,
                {}};
    if (caller_ <= sequence_.size()) row.caller = static_cast<std::uint32_t>(caller_);
    place(row);
    sequence_.push_back(row);
    rows_[*section_].push_back(row);
  }

  /// Rows before it have their own places: its caller's is its own, unless it lies in that file.
  void place(LineRow& row) const {
    const LineRow* caller = row.caller > 0 ? &sequence_[row.caller - 1] : nullptr;
    const bool own = !caller || caller->own_file == row.file;
    row.own_file = own ? row.file : caller->own_file;
    row.own_line = own ? row.line : caller->own_line;
  }

  Reader& in_;
  const std::map<std::uint64_t, std::uint16_t>& sections_;
  Rows& rows_;
  std::vector<std::uint8_t> arguments_;
  std::vector<std::string_view> files_;
  std::vector<LineRow> sequence_;  ///< The rows of the function that is being read.
  unsigned unit_bytes_ = 1, line_range_ = 0, opcode_base_ = 1;
  std::int64_t line_base_ = 0;
  // The machine's registers.
  std::optional<std::uint16_t> section_;
  std::uint64_t address_ = 0, file_ = 1, caller_ = 0;
  std::int64_t line_ = 1;
};

}  // namespace

LineTable::LineTable(const Elf& elf) {
  const ElfSection* lines = elf.find(".debug_line");
  if (!lines) return;
  const auto sections = relocations(elf);
  Reader reader(lines->bytes);
  while (!reader.ended()) Unit(reader, sections, rows_).read();
  for (auto& [section, rows] : rows_) std::ranges::stable_sort(rows, {}, &LineRow::address);
}

const LineRow* LineTable::at(std::uint16_t section, std::uint64_t address) const {
  const auto rows = rows_.find(section);
  if (rows == rows_.end()) return nullptr;
  const auto next = std::ranges::upper_bound(rows->second, address, {}, &LineRow::address);
  return next == rows->second.begin() || std::prev(next)->line == 0 ? nullptr : &*std::prev(next);
}

}  // namespace gpx::codegen::sass
