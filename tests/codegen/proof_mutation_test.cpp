// The proofs against mutations: whatever a kernel is, no PTX or machine code that differs from what
// was asked for is ever called verified. codegen/proof/timed_region.h.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "bodies.h"
#include "codegen/compile/compile.h"
#include "codegen/ir/operation.h"
#include "codegen/proof/timed_region.h"
#include "codegen/ptx/module.h"
#include "lang/operations.h"
#include "operation_support.h"

namespace gpx::codegen::test {
namespace {

using Rows = std::vector<std::string>;
using Verdict = RegionReport::Verdict;

Rows rows_of_text(const std::string& text) {
  Rows rows;
  std::istringstream stream(text);
  for (std::string row; std::getline(stream, row);) rows.push_back(row);
  return rows;
}

std::string joined(const Rows& rows) {
  std::string text;
  for (const std::string& row : rows) text += row + "\n";
  return text;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  if (const std::size_t at = text.find(from); at != std::string::npos)
    return text.replace(at, from.size(), to);
  return text;
}

// ---- kernels of every shape -------------------------------------------------------------------

Kernel golden_kernel(const char* name) {
  return parse_kernel(read_text(golden_path(name)));
}

Kernel accesses(const char* text) {
  return program_of(text).kernels.back();
}

std::vector<Kernel> every_shape() {
  std::vector<Kernel> all;
  for (const char* text :
       {"threads 64 < load unique(128B) x 3 >", "threads 64 < load unique(128B) x 16 >",
        "threads 64 < load stride(16B) width 16B cache cg x 2 >",
        "threads 64 < store unique(4B) x 3 >", "threads 64 < copy unique(8B) width 8B x 2 >",
        "threads 64 observe time < load unique(4B) x 2 >",
        "threads 64 observe time < store unique(4B) x 2 >",
        "threads 64 < load unique(4B); store stride(8B) width 2B; load broadcast width 1B >",
        "threads 64 < load shared stride(8B) width 8B x 3 >",
        "threads 64 < load shared stride(4B) x 18 >", "threads 64 < store shared unique(4B) x 2 >",
        "threads 64 < copy shared unique(16B) width 16B x 2 >",
        "threads 64 observe time < load shared unique(4B) x 2 >",
        "threads 64 < atom.add.u32 same x 3 >", "threads 64 < atom.cas.b64 stride(8B) x 2 >",
        "threads 64 < atom.add.f64 unique(8B) x 2 >",
        "threads 64 < atom.exch.b32 shared same x 4 chain >",
        "threads 64 < red.max.u64 stride(64B) x 2 >",
        "threads 64 observe time < red.add.f32 shared stride(4B) x 2 >"})
    all.push_back(accesses(text));
  for (const char* operation :
       {"add.u32", "add.f64", "pow.approx.f32", "setp.u32", "selp.b32", "bar.sync", "clock",
        "mad.wide.u32", "shfl.bfly.b32", "atom.shared.add.u32", "atom.global.cas.b32"})
    all.push_back(operating(operation, 4, 2));
  for (const char* name : {"body_arithmetic.kernel", "body_conditions.kernel",
                           "body_listing3.kernel", "body_listing6.kernel", "chase_global.kernel",
                           "chase_shared_each.kernel", "chase_texture_streamed.kernel"})
    all.push_back(golden_kernel(name));
  return all;
}

// ---- mutations of one statement ---------------------------------------------------------------

/// Another text of one row; the same where it does not apply.
struct RowChange {
  const char* name;
  std::string (*of)(const std::string& row);
};

std::string with_exchanged_operands(const std::string& row) {
  const std::size_t comma = row.rfind(", ");
  const std::size_t begin = row.find_last_of(" {", comma - 1) + 1;
  const std::size_t end = row.find_first_of(";,}", comma + 1);
  if (comma == std::string::npos || end == std::string::npos || begin >= comma) return row;
  return row.substr(0, begin) + row.substr(comma + 2, end - comma - 2) + ", " +
         row.substr(begin, comma - begin) + row.substr(end);
}

std::string with_other_number(const std::string& row) {
  for (std::size_t i = row.size(); i-- > 1;)
    if (std::isdigit(static_cast<unsigned char>(row[i])) &&
        std::string(" +,[").find(row[i - 1]) != std::string::npos)
      return std::string(row).replace(i, 1, row[i] == '9' ? "8" : std::string(1, char(row[i] + 1)));
  return row;
}

std::string with_other_opcode(const std::string& row) {
  static constexpr std::pair<const char*, const char*> kOther[] = {
      {"add.", "sub."},
      {"sub.", "add."},
      {"setp.eq", "setp.ne"},
      {"setp.ne", "setp.eq"},
      {"setp.lt", "setp.le"},
      {"setp.ge", "setp.gt"},
      {"mad.lo", "mad.hi"},
      {"and.", "or."},
      {"or.", "xor."},
      {"mul.", "div."},
      {"lg2.", "ex2."},
      {"ex2.", "lg2."},
      {"selp.", "slct."},
      {"shfl.sync.bfly", "shfl.sync.idx"},
      {"atom.shared.add", "atom.shared.min"},
      {".cas.", ".exch."},
      {"bar.sync", "barrier.sync"},
      {"%clock", "%laneid"},
      {"mov.", "not."},
      {"bra ", "bra.uni "},
      {"cvt.u64", "cvt.s64"},
      {"tex.1d", "tex.2d"}};
  for (const auto& [from, to] : kOther)
    if (row.find(from) != std::string::npos) return replaced(row, from, to);
  return row;
}

std::string with_other_cache(const std::string& row) {
  for (const char* access :
       {"ld.global", "st.global", "ld.local", "ld.volatile.shared", "ld.const"})
    if (row.find(access) != std::string::npos)
      return row.find(".cg") != std::string::npos
                 ? replaced(row, ".cg", "")
                 : replaced(row, access, std::string(access) + ".cg");
  return row;
}

std::string with_other_width(const std::string& row) {
  for (const auto& [from, to] : {std::pair{".u32", ".u16"},
                                 {".u8", ".u32"},
                                 {".u16", ".u32"},
                                 {".u64", ".u32"},
                                 {".b32", ".b64"},
                                 {".f64", ".f32"},
                                 {".f32", ".f64"}})
    if (row.find(from) != std::string::npos) return replaced(row, from, to);
  return row;
}

std::string with_other_guard(const std::string& row) {
  if (row.find("@!") != std::string::npos) return replaced(row, "@!", "@");
  return row.find('@') != std::string::npos ? replaced(row, "@", "@!") : "  @hit " + row;
}

std::string with_other_register(const std::string& row) {
  for (const auto& [from, to] : {std::pair{"_r0", "_r1"},
                                 {"_even", "_odd"},
                                 {"link", "place"},
                                 {"v0", "v1"},
                                 {"%rd", "%rd9"},
                                 {"%r", "%r9"},
                                 {"hit", "even"}})
    if (row.find(from) != std::string::npos) return replaced(row, from, to);
  return row;
}

constexpr RowChange kRowChanges[] = {{"operands exchanged", with_exchanged_operands},
                                     {"another number", with_other_number},
                                     {"another opcode", with_other_opcode},
                                     {"another cache operator", with_other_cache},
                                     {"another width", with_other_width},
                                     {"another guard", with_other_guard},
                                     {"another register", with_other_register}};

/// What may be put in front of a statement.
constexpr const char* kInserted[] = {"  ld.global.u32 %r1, [%rd1];", "  bar.sync 0;",
                                     "  mov.u32 %r1, %clock;", "  add.u32 %r1, %r1, 1;"};

// ---- PTX --------------------------------------------------------------------------------------

/// Rows [first, last) of the inline assembly that is the timed region, without its declarations.
struct Range {
  std::size_t first = 0, last = 0;
};

Range region_of(const Rows& rows) {
  Range range;
  for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
    if (rows[i].find("// begin inline asm") == std::string::npos || rows[i + 1] != "\t{") continue;
    range.first = i + 2;
    while (rows[range.first].starts_with("  .reg")) ++range.first;
    range.last = range.first;
    while (rows[range.last] != "}") ++range.last;
    return range;
  }
  return range;
}

class Mutations {
 public:
  Mutations(const Kernel& kernel, std::string ptx) : kernel_(kernel), rows_(rows_of_text(ptx)) {}

  void run(std::map<std::string, int>& outcomes) {
    outcomes_ = &outcomes;
    const Range range = region_of(rows_);
    CAPTURE(kernel_.name);
    REQUIRE(range.last > range.first + 3);
    for (std::size_t i = range.first; i < range.last; ++i) {
      if (rows_[i].starts_with("  .reg")) continue;
      one(i, i + 1 < range.last);
    }
    across_clocks(range);
  }

 private:
  void expect(const char* what, Rows rows) {
    if (rows == rows_) return;
    const RegionReport report = check_ptx(kernel_, joined(rows));
    const bool verified = report.verdict == Verdict::verified;
    // What no assembler takes does no harm: an output that nothing reads, in an undeclared
    // register.
    const bool taken = !verified || ptx::parse("mutation.ptx", joined(rows)).has_value();
    ++(*outcomes_)[(taken ? std::string(to_string(report.verdict)) : "no PTX") + ": " + what];
    if (!verified || !taken) return;
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (i >= rows_.size() || rows[i] != rows_[i]) {
        FAIL_CHECK(kernel_.name << ": " << what << ": '" << rows[i] << "' is verified");
        break;
      }
  }

  template <typename Change>
  void change(const char* what, Change&& apply) {
    Rows rows = rows_;
    apply(rows);
    expect(what, std::move(rows));
  }

  void one(std::size_t i, bool has_next) {
    const auto at = [i](Rows& rows) { return rows.begin() + static_cast<std::ptrdiff_t>(i); };
    change("dropped", [&](Rows& rows) { rows.erase(at(rows)); });
    change("twice", [&](Rows& rows) { rows.insert(at(rows), rows[i]); });
    // In which order inputs are stored that nothing else reads, is all the same; declarations too.
    const bool stores =
        has_next && rows_[i].starts_with("  @hit st") && rows_[i + 1].starts_with("  @hit st");
    const bool declares = has_next && rows_[i + 1].starts_with("  .reg");
    if (has_next && !declares && !stores)
      change("exchanged with the next", [&](Rows& rows) { rows[i].swap(rows[i + 1]); });
    for (const char* inserted : kInserted)
      change("something inserted", [&](Rows& rows) { rows.insert(at(rows), inserted); });
    if (rows_[i].ends_with(':') || rows_[i].find(".pragma") != std::string::npos) return;
    for (const RowChange& each : kRowChanges)
      change(each.name, [&](Rows& rows) { rows[i] = each.of(rows[i]); });
  }

  // A statement from one side of a clock read to the other.
  void across_clocks(Range range) {
    for (std::size_t clock = range.first + 1; clock + 1 < range.last; ++clock) {
      if (rows_[clock].find("%clock64") == std::string::npos) continue;
      for (std::size_t k = range.first; k < range.last; ++k) {
        if (k == clock || rows_[k].starts_with("  .reg")) continue;
        change("moved across a clock", [&](Rows& rows) {
          const std::string row = rows[k];
          rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(k));
          const std::size_t place = k < clock ? clock : clock - 1 + 1;
          rows.insert(rows.begin() + static_cast<std::ptrdiff_t>(place), row);
        });
      }
    }
  }

  const Kernel& kernel_;
  const Rows rows_;
  std::map<std::string, int>* outcomes_ = nullptr;
};

TEST_CASE("no mutation of a PTX is verified") {
  const std::vector<Kernel> kernels = every_shape();
  CompileOptions options;
  options.cache = ArtifactCache("");
  std::map<std::string, int> outcomes;
  for (const Kernel& kernel : kernels) {
    const auto made = compile(std::span(&kernel, 1), {Target::Form::ptx, 75}, options, nullptr);
    if (!made) FAIL(render(made.error()));
    const std::string& ptx = made->front().ptx;
    const RegionReport sound = check_ptx(kernel, ptx);
    INFO(kernel.name, ": ", sound.reason);
    REQUIRE(sound.verdict == Verdict::verified);
    Mutations(kernel, ptx).run(outcomes);
  }
  int all = 0;
  std::string table;
  for (const auto& [outcome, count] : outcomes) {
    all += count;
    table += fmt::format("{:6} {}\n", count, outcome);
  }
  INFO(all, " mutations of ", kernels.size(), " kernels\n", table);
  CHECK(all >= 200);
}

// ---- machine code -----------------------------------------------------------------------------

/// Rows of the region: those whose instructions the report lists, one after the other.
Range region_in(const Rows& rows, const RegionReport& report) {
  const Rows listed = rows_of_text(report.listing);
  for (std::size_t begin = 0; begin + listed.size() <= rows.size(); ++begin) {
    std::size_t at = begin, i = 0;
    for (; at < rows.size() && i < listed.size(); ++at) {
      if (rows[at].find("/*") == std::string::npos) continue;
      if (rows[at].find(listed[i]) == std::string::npos) break;
      ++i;
    }
    if (i == listed.size()) return {begin, at};
  }
  return {};
}

void mutate_machine_code(const Kernel& kernel, const std::string& sass,
                         std::map<std::string, int>& outcomes) {
  const RegionReport sound = check_sass(kernel, sass);
  if (sound.verdict != Verdict::verified) return;
  const Rows rows = rows_of_text(sass);
  const Range range = region_in(rows, sound);
  CAPTURE(kernel.name);
  REQUIRE(range.last > range.first);
  const auto expect = [&](const char* what, const Rows& mutated, const std::string& row) {
    const RegionReport report = check_sass(kernel, joined(mutated));
    ++outcomes[std::string(to_string(report.verdict)) + ": " + what];
    if (report.verdict == Verdict::verified)
      FAIL_CHECK(kernel.name << ": " << what << ": '" << row << "' is verified");
  };
  for (std::size_t i = range.first; i < range.last; ++i) {
    // A NOP is no instruction that anything is said of.
    if (rows[i].find("/*") == std::string::npos || rows[i].find("NOP") != std::string::npos)
      continue;
    Rows mutated = rows;
    mutated.erase(mutated.begin() + static_cast<std::ptrdiff_t>(i));
    expect("dropped", mutated, rows[i]);
    mutated = rows;
    mutated.insert(mutated.begin() + static_cast<std::ptrdiff_t>(i), rows[i]);
    expect("twice", mutated, rows[i]);
  }
}

TEST_CASE("no machine code with an instruction more or less is verified") {
  std::map<std::string, int> outcomes;
  for (const OperationName& row : table_rows()) {
    const std::string name(row.name);
    // Of these rows only the opcodes that they name are known (lang/operations.def).
    if (find_operation(name)->sass.find("...") != std::string_view::npos) continue;
    if (find_operation(name)->sass == "?") continue;
    // What orders itself gives no value for a sum.
    if (find_operation(name)->type == "none") continue;
    mutate_machine_code(operating(name, 8, 1), section("operations_x8.sm_90.sass", name), outcomes);
  }
  mutate_machine_code(accesses("threads 64 < load unique(128B) x 3 >"),
                      read_text(golden_path("load_unique_4B_x3.sm_90.sass")), outcomes);
  int all = 0;
  std::string table;
  for (const auto& [outcome, count] : outcomes) {
    all += count;
    table += fmt::format("{:6} {}\n", count, outcome);
  }
  INFO(all, " mutations of machine code\n", table);
  CHECK(all >= 200);
}

}  // namespace
}  // namespace gpx::codegen::test
