// Machine code as text. Interface: codegen/proof/machine_code.h.
#include "codegen/proof/machine_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "lang/lists.h"
#include "lang/words.h"

namespace gpx::codegen {
namespace {

template <std::size_t N>
bool one_of(std::string_view word, const std::string_view (&words)[N]) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

std::string_view bare(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r\n{");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n}") - begin + 1);
}

MachineLine split(std::string_view text) {
  MachineLine line{text, {}, {}, {}};
  const auto word = [&] {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view taken = text.substr(0, end);
    text = bare(text.substr(end));
    return taken;
  };
  if (text.starts_with('@')) line.guard = word();
  line.opcode = word();
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    line.operands.push_back(bare(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return line;
}

bool is_letter_or_digit(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

constexpr int kFile = 256;  // Registers of one file are numbered from a multiple of this.

/// The registers of all files that an operand names.
std::vector<int> values_of(std::string_view operand) {
  std::vector<int> found;
  for (std::size_t i = 0; i < operand.size(); ++i) {
    if (i > 0 && is_letter_or_digit(operand[i - 1])) continue;
    const bool uniform = operand[i] == 'U';
    const std::size_t letter = i + (uniform ? 1 : 0);
    if (letter + 1 >= operand.size()) break;
    if (operand[letter] != 'R' && operand[letter] != 'P') continue;
    int number = 0;
    const char* begin = operand.data() + letter + 1;
    const auto [end, code] = std::from_chars(begin, operand.data() + operand.size(), number);
    if (code != std::errc{} || end == begin) continue;
    const int file = (operand[letter] == 'P' ? 1 : 0) + (uniform ? 2 : 0);
    found.push_back(file * kFile + number);
    if (operand.substr(static_cast<std::size_t>(end - operand.data())).starts_with(".64"))
      found.push_back(file * kFile + number + 1);
  }
  return found;
}

bool is_predicate(std::string_view operand) {
  return operand == "PT" || operand == "UPT" || (operand.size() == 2 && operand[0] == 'P') ||
         operand.starts_with("UP");
}

/// How many of the first operands are results.
std::size_t results_of(const MachineLine& line) {
  static constexpr std::string_view kNone[] = {
      "STG",      "STS",    "STL",    "ST",        "RED",    "REDG",      "BAR",    "NOP",
      "WARPSYNC", "DEPBAR", "MEMBAR", "WARPGROUP", "LDGSTS", "LDGDEPBAR", "UBLKCP", "UTMACMDFLUSH"};
  static constexpr std::string_view kTwo[] = {
      "ISETP", "FSETP", "DSETP", "HSETP2", "PLOP3", "UISETP", "UPLOP3", "SHFL",
      "ATOM",  "ATOMG", "LOP3",  "ULOP3",  "VOTE",  "VOTEU",  "MATCH",  "SIGN3"};
  const std::string_view base = line.base();
  if (one_of(base, kNone) || is_control(line)) return 0;
  const auto& operands = line.operands;
  if (operands.size() < 2) return operands.size();
  const bool leads = is_predicate(operands[0]);
  if (base == "VOTE" || base == "VOTEU") return is_predicate(operands[1]) ? 2 : 1;
  if (leads) return one_of(base, kTwo) ? 2 : 1;
  // A sum may have carries after its result.
  static constexpr std::string_view kCarry[] = {"IADD3", "UIADD3", "IMAD", "LEA", "ULEA"};
  std::size_t count = 1;
  while (one_of(base, kCarry) && count < operands.size() && is_predicate(operands[count])) ++count;
  return count;
}

/// Registers of 32 bits that one operand of 64 bits or more stands for.
int words_of(const MachineLine& line, std::size_t operand) {
  const std::string_view base = line.base();
  static constexpr std::string_view kDouble[] = {"DADD", "DMUL", "DFMA", "DSETP", "DMNMX"};
  if (one_of(base, kDouble)) return 2;
  if (base == "LDG" || base == "LDS" || base == "LDC" || base == "LD" || base == "LDL")
    return operand == 0 ? std::max(1, static_cast<int>(bytes_of(line) / 4)) : 1;
  if (base == "STG" || base == "STS" || base == "ST")
    return operand == 1 ? std::max(1, static_cast<int>(bytes_of(line) / 4)) : 1;
  if (is_atomic(line)) return line.has(".64") ? 2 : 1;
  if (base == "SYNCS") return operand == 0 && line.has(".ARRIVE") ? 2 : 1;
  if (base == "CS2R") return line.has(".32") ? 1 : 2;
  if (base == "IMAD" && line.has(".WIDE")) return operand == 0 || operand == 3 ? 2 : 1;
  if (base == "F2F" || base == "I2F" || base == "F2I") {
    const std::size_t first = line.opcode.find(".F64");
    if (first == std::string_view::npos) return 1;
    // "F2F.F64.F32" widens, "F2F.F32.F64" narrows.
    const bool widens = first == line.opcode.find('.') && base != "F2I";
    return (operand == 0) == widens ? 2 : 1;
  }
  // "HGMMA.64x128x16.F32 R24, R88, gdesc[UR4], R24": sums of 64 x N over 128 threads; A has four.
  if (is_warpgroup_product(line)) {
    if (operand != 0 && line.operands[operand] != line.operands[0]) return 4;
    int columns = 0;
    const std::size_t x = line.opcode.find("64x");
    if (x != std::string_view::npos)
      std::from_chars(line.opcode.data() + x + 3, line.opcode.data() + line.opcode.size(), columns);
    return std::max(1, line.has(".F16") ? columns / 4 : columns / 2);
  }
  // The matrix that is summed up and the result: two registers in half precision and of 8 rows,
  // else four; of 16 rows of doubles eight ("DMMA.16").
  if (base == "HMMA" || base == "IMMA" || base == "DMMA" || base == "BMMA") {
    if (operand != 0 && operand != 3) return 1;
    if (base == "DMMA") return line.has(".16") ? 8 : 4;
    return line.has(".F16") || line.has(".8816") || line.has(".88128") ? 2 : 4;
  }
  // "LDSM.16.M88.4 R8, [R8]": a register for each matrix; "STSM" likewise.
  if ((base == "LDSM" && operand == 0) || (base == "STSM" && operand == 1))
    return line.opcode.ends_with(".4") ? 4 : line.opcode.ends_with(".2") ? 2 : 1;
  return 1;
}

void add(std::vector<int>& out, const MachineLine& line, std::size_t operand) {
  const std::vector<int> named = values_of(line.operands[operand]);
  out.insert(out.end(), named.begin(), named.end());
  if (named.size() != 1 || named[0] >= kFile) return;
  for (int more = 1; more < words_of(line, operand); ++more) out.push_back(named[0] + more);
}

}  // namespace

std::string_view MachineLine::kind() const {
  const std::string_view first = base();
  if (first != "IMAD") return first;
  static constexpr std::string_view kOther[] = {"MOV", "IADD", "SHL", "WIDE", "HI", "X"};
  const std::size_t begin = std::min(first.size() + 1, opcode.size());
  const std::size_t end = std::min(opcode.find('.', begin), opcode.size());
  const std::string_view second = opcode.substr(begin, end - begin);
  if (one_of(second, kOther)) return opcode.substr(0, end);
  // "IMAD.U32 R2, RZ, RZ, UR5" moves.
  const bool moves = operands.size() > 2 && operands[1] == "RZ" && operands[2] == "RZ";
  return moves ? std::string_view("IMAD.MOV") : first;
}

bool MachineLine::has(std::string_view modifier) const {
  for (std::size_t at = opcode.find(modifier); at != std::string_view::npos;
       at = opcode.find(modifier, at + 1)) {
    const std::size_t end = at + modifier.size();
    if (end == opcode.size() || opcode[end] == '.') return true;
  }
  return false;
}

bool MachineLine::idles() const {
  return base() == "NOP" || guard == "@!PT" || guard == "@!UPT";
}

// A row is an instruction if it opens with its address in a comment and ends in a semicolon.
std::vector<MachineLine> parse_machine_code(std::string_view sass) {
  std::vector<MachineLine> lines;
  while (!sass.empty()) {
    std::string_view row = bare(take_until(sass, '\n'));
    if (!row.starts_with("/*")) continue;
    const std::size_t close = row.find("*/");
    if (close == std::string_view::npos || row.substr(0, close).find("0x") != row.npos) continue;
    row.remove_prefix(close + 2);
    const std::size_t stop = row.find(';');
    if (stop == std::string_view::npos) continue;
    const std::string_view text = bare(row.substr(0, stop));
    if (!text.empty()) lines.push_back(split(text));
  }
  return lines;
}

bool reads_clock(const MachineLine& line) {
  return line.text.find("SR_CLOCK") != std::string_view::npos;
}

bool reads_clock64(const MachineLine& line) {
  return reads_clock(line) && line.base() == "CS2R" && !line.has(".32");
}

bool is_control(const MachineLine& line) {
  static constexpr std::string_view kControl[] = {"BRA",  "BRX",  "JMP",   "JMX",      "CALL",
                                                  "RET",  "EXIT", "BSSY",  "BSYNC",    "BREAK",
                                                  "BMOV", "KILL", "YIELD", "NANOSLEEP"};
  return one_of(line.base(), kControl);
}

bool is_atomic(const MachineLine& line) {
  static constexpr std::string_view kAtomics[] = {"ATOM", "ATOMG", "ATOMS", "RED", "REDG", "REDS"};
  return one_of(line.base(), kAtomics);
}

bool is_memory(const MachineLine& line) {
  const std::string_view base = line.base();
  const bool constant = base == "LDC" || base == "LDCU";
  return !constant && (base.starts_with("LD") || base.starts_with("ST") || is_atomic(line));
}

bool is_barrier(const MachineLine& line) {
  return line.base() == "BAR" || line.base() == "BARRIER";
}

bool is_cluster_barrier(const MachineLine& line) {
  return line.base() == "UCGABAR_WAIT";
}

CopyStep tensor_step(CopyStep of_two, std::size_t dimensions) {
  return static_cast<CopyStep>(static_cast<char>(of_two) + static_cast<char>(dimensions - 2));
}

std::optional<CopyStep> copy_step(const MachineLine& line) {
  const std::string_view base = line.base();
  if (base == "LDGSTS") {
    const std::uint32_t bytes = bytes_of(line);
    if (line.has(".BYPASS")) return bytes == 16 ? CopyStep::copy_b128_cg : CopyStep::unknown;
    return bytes == 4 ? CopyStep::copy_b32 : bytes == 8 ? CopyStep::copy_b64 : CopyStep::copy_b128;
  }
  if (base == "LDGDEPBAR") return CopyStep::group;
  if (base == "DEPBAR") return CopyStep::wait;
  if (base == "UTMACMDFLUSH") return CopyStep::flush;
  if (base == "UBLKCP") {
    if (!line.guard.starts_with("@UP")) return CopyStep::unknown;
    return line.has(".S.G") ? CopyStep::bulk_load : CopyStep::bulk_store;
  }
  if (base == "UTMALDG" || base == "UTMASTG") {
    if (!line.guard.starts_with("@UP")) return CopyStep::unknown;
    const CopyStep of_two = base == "UTMALDG" ? CopyStep::tensor_load : CopyStep::tensor_store;
    for (std::size_t dimensions = 2; dimensions <= 5; ++dimensions)
      if (line.has(fmt::format(".{}D", dimensions))) return tensor_step(of_two, dimensions);
    return CopyStep::unknown;
  }
  if (base.starts_with("UTMA") || base.starts_with("UBLK")) return CopyStep::unknown;
  if (base != "SYNCS") return std::nullopt;
  if (line.has(".PHASECHK")) return CopyStep::phase;
  return line.has(".ARRIVE") && !line.has(".A1T0") ? CopyStep::expect : CopyStep::unknown;
}

bool is_of_cluster_barrier(const MachineLine& line) {
  static constexpr std::string_view kParts[] = {"UCGABAR_WAIT", "UCGABAR_ARV", "MEMBAR",
                                                "ERRBAR",       "CGAERRBAR",   "CCTL"};
  return one_of(line.base(), kParts);
}

bool is_warpgroup_step(const MachineLine& line) {
  return line.base() == "WARPGROUP";
}

bool is_warpgroup_product(const MachineLine& line) {
  static constexpr std::string_view kProducts[] = {"HGMMA", "QGMMA", "IGMMA"};
  return one_of(line.base(), kProducts);
}

bool is_arithmetic(const MachineLine& line) {
  static constexpr std::string_view kArithmetic[] = {
      "IADD3",  "IADD",     "VIADD",  "IMAD",  "LOP3",  "ISETP", "MOV",  "R2UR",  "IADD32I",
      "MOV32I", "XMAD",     "SHF",    "SHL",   "SHR",   "LEA",   "SEL",  "PRMT",  "SGXT",
      "IABS",   "IMNMX",    "VIMNMX", "BREV",  "FLO",   "POPC",  "FADD", "FMUL",  "FFMA",
      "FSETP",  "FSEL",     "FMNMX",  "FCHK",  "MUFU",  "DADD",  "DMUL", "DFMA",  "DSETP",
      "I2F",    "I2FP",     "I2I",    "F2I",   "F2F",   "F2FP",  "FRND", "HADD2", "HMUL2",
      "HFMA2",  "HSETP2",   "HMNMX2", "PLOP3", "SIGN3", "R2P",   "P2R",  "VOTE",  "VOTEU",
      "IDP",    "VABSDIFF", "BMSK",   "S2R",   "S2UR",  "CS2R",  "LDC",  "LDCU",  "NOP",
      "DEPBAR", "WARPSYNC"};
  return one_of(line.base(), kArithmetic) ||
         (line.base().starts_with('U') && !is_of_cluster_barrier(line));
}

std::uint32_t additions_of(const MachineLine& line) {
  static constexpr std::string_view kAdditions[] = {"IADD3", "IADD", "VIADD", "IMAD.IADD"};
  if (!one_of(line.kind(), kAdditions)) return 0;
  const auto is_term = [](std::string_view operand) {
    operand.remove_prefix(std::min(operand.find_first_not_of("-~|"), operand.size()));
    if (operand.starts_with('U')) operand.remove_prefix(1);
    return operand.starts_with('R') && !operand.starts_with("RZ");
  };
  const auto begin = line.operands.begin() + static_cast<std::ptrdiff_t>(results_of(line));
  const auto terms = std::count_if(begin, line.operands.end(), is_term);
  return static_cast<std::uint32_t>(std::max<std::ptrdiff_t>(terms, 1) - 1);
}

const MachineLine* find_repeated(std::span<const MachineLine> region) {
  const MachineLine* before = nullptr;
  for (const MachineLine& line : region) {
    if (line.idles()) continue;
    const bool again = before && before->text == line.text;
    before = &line;
    if (!again || !is_arithmetic(line)) continue;
    const Effects effects = effects_of(line);
    const bool changed = std::any_of(effects.writes.begin(), effects.writes.end(),
                                     [&](int value) { return contains(effects.reads, value); });
    if (!changed) return &line;
  }
  return nullptr;
}

bool is_constant(const MachineLine& line) {
  static constexpr std::string_view kFetch[] = {"LDC",  "LDCU",   "S2R",     "S2UR",
                                                "R2UR", "DEPBAR", "WARPSYNC"};
  if (one_of(line.base(), kFetch) || line.base().starts_with('U') || line.idles()) return true;
  const bool moves = line.base() == "MOV" || line.kind() == "IMAD.MOV";
  return moves && !line.operands.empty() &&
         (line.operands.back().starts_with("c[") || line.operands.back().starts_with("UR") ||
          line.operands.back().starts_with("0x"));
}

std::uint32_t bytes_of(const MachineLine& line) {
  if (line.has(".U8") || line.has(".S8")) return 1;
  if (line.has(".U16") || line.has(".S16")) return 2;
  if (line.has(".64")) return 8;
  return line.has(".128") ? 16 : 4;
}

std::vector<int> registers_of(std::string_view operand) {
  std::vector<int> found = values_of(operand);
  found.erase(std::remove_if(found.begin(), found.end(), [](int value) { return value >= kFile; }),
              found.end());
  return found;
}

Effects effects_of(const MachineLine& line) {
  Effects made;
  if (line.idles()) return made;
  const std::size_t results = results_of(line);
  for (std::size_t i = 0; i < line.operands.size(); ++i)
    add(i < results ? made.writes : made.reads, line, i);
  if (line.guard.empty()) return made;
  const std::vector<int> guard = values_of(line.guard.substr(line.guard.find_first_not_of("@!")));
  made.reads.insert(made.reads.end(), guard.begin(), guard.end());
  if (!guard.empty()) made.reads.insert(made.reads.end(), made.writes.begin(), made.writes.end());
  return made;
}

std::vector<std::vector<int>> sources_of(const MachineLine& line) {
  std::vector<std::vector<int>> made;
  for (std::size_t i = results_of(line); i < line.operands.size(); ++i)
    add(made.emplace_back(), line, i);
  return made;
}

}  // namespace gpx::codegen
