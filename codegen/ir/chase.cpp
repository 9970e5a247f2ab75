// Pointer chases in PTX. Interface: codegen/ir/chase.h.
#include "codegen/ir/chase.h"

#include <fmt/format.h>

namespace gpx::codegen {
namespace {

constexpr std::uint32_t kUnrolled = 16;  // Loads between two branches.

class ChaseExpander {
 public:
  ChaseExpander(const Kernel& kernel, const Instruction& chase, const ChaseOperands& operands,
                const std::string& prefix, std::uint32_t number)
      : kernel_(kernel),
        chase_(chase),
        operands_(operands),
        p_(prefix),
        number_(number),
        space_(kernel.find_array(chase.name)->space),
        type_(is_wide(chase) ? "u64" : "u32") {}

  ChaseExpansion run(const std::string& result) {
    declarations();
    starts();
    if (kernel_.each) {
      recorded();
    } else {
      counted("many", kUnrolled, "few");
      counted("one", 1, "chased");
    }
    line("{} {}, {}link;", is_wide(chase_) ? "cvt.u32.u64" : "mov.u32", result, p_);
    return std::move(made_);
  }

 private:
  template <typename... Args>
  static void put(std::vector<std::string>& to, fmt::format_string<Args...> text, Args&&... args) {
    to.push_back(fmt::format(text, std::forward<Args>(args)...));
  }
  template <typename... Args>
  void line(fmt::format_string<Args...> text, Args&&... args) {
    put(made_.lines, text, std::forward<Args>(args)...);
  }

  void declarations() {
    auto& to = made_.declarations;
    put(to, ".reg .pred {}more;", p_);
    put(to, ".reg .u32 {}left;", p_);
    put(to, ".reg .{1} {0}link, {0}first;", p_, type_);
    put(to, ".reg .u64 {0}place, {0}base;", p_);
    if (space_ == Space::texture) put(to, ".reg .u32 {0}texel, {0}y, {0}z, {0}w;", p_);
    if (!kernel_.each) return;
    put(to, ".reg .u32 {0}from, {0}to, {0}row;", p_);
    put(to, ".reg .u64 {0}wide, {0}out;", p_);
  }

  // The first link: an offset, or in shared and local memory an address.
  void starts() {
    auto& to = made_.starts;
    put(to, "mov.u64 {}base, {};", p_, operands_.base);
    put(to, "{} {}link, {};", is_wide(chase_) ? "mov.u64" : "cvt.u32.u64", p_, operands_.first);
    put(to, "mov.u32 {}left, {};", p_, operands_.count);
    if (!kernel_.each) return;
    put(to, "mov.u32 {}row, 0;", p_);
    if (kernel_.each->streamed) put(to, "mov.u64 {}out, {};", p_, operands_.rows);
  }

  // One load, its address first.
  void load() {
    const std::string_view cache = cache_suffix(chase_.cache);
    if (is_global_memory(space_) || space_ == Space::constant) {
      if (!is_wide(chase_)) line("cvt.u64.u32 {0}place, {0}link;", p_);
      line("add.u64 {0}place, {0}{1}, {0}base;", p_, is_wide(chase_) ? "link" : "place");
    }
    switch (space_) {
      case Space::global:
      case Space::peer: return line("ld.global{1}.{2} {0}link, [{0}place];", p_, cache, type_);
      case Space::constant: return line("ld.const.{1} {0}link, [{0}place];", p_, type_);
      case Space::shared:
        if (is_on_rank(kernel_, chase_)) return line("ld.{1} {0}link, [{0}link];", p_, type_);
        return line("ld.volatile.shared.{1} {0}link, [{0}link];", p_, type_);
      case Space::local: return line("ld.local{1}.{2} {0}link, [{0}link];", p_, cache, type_);
      case Space::texture:
        line("shr.u32 {0}texel, {0}link, 2;", p_);
        return line("tex.1d.v4.u32.s32 {{{0}link, {0}y, {0}z, {0}w}}, [{0}base, {{{0}texel}}];",
                    p_);
    }
  }

  // ptxas heeds the pragma only in the loop's first block, behind its label (13.0).
  // As many loads as `loads`, while so many are left.
  void counted(const char* name, std::uint32_t loads, const char* after) {
    line("setp.lt.u32 {0}more, {0}left, {1};", p_, loads);
    line("@{0}more bra {1}{2};", p_, after, number_);
    line("{}{}:", name, number_);
    line(".pragma \"nounroll\";");
    for (std::uint32_t i = 0; i < loads; ++i) {
      load();
      if (i > 0) continue;
      line("sub.u32 {0}left, {0}left, {1};", p_, loads);
      line("setp.ge.u32 {0}more, {0}left, {1};", p_, loads);
    }
    line("@{0}more bra {1}{2};", p_, name, number_);
    line("{}{}:", after, number_);
  }

  // One access: clock, load, a store that needs the value, clock. A store of what was loaded to
  // shared memory makes the second read of the clock wait (Mei 2014, 3.1).
  void recorded() {
    line("setp.eq.u32 {0}more, {0}left, 0;", p_);
    line("@{}more bra chased{};", p_, number_);
    line("each{}:", number_);
    line(".pragma \"nounroll\";");
    line("mov.{1} {0}first, {0}link;", p_, type_);
    line("mul.wide.u32 {0}wide, {0}row, {1};", p_, is_wide(chase_) ? 8 : 4);
    line("cvt.u32.u64 {0}to, {0}wide;", p_);
    line("add.u32 {0}to, {0}to, {1};", p_, operands_.indices);
    line("cvt.u64.u32 {0}wide, {0}to;", p_);
    line("mov.u32 {}from, %clock;", p_);
    load();
    line("st.volatile.shared.{1} [{0}wide], {0}link;", p_, type_);
    line("mov.u32 {}to, %clock;", p_);
    line("sub.u32 {0}to, {0}to, {0}from;", p_);
    record();
    line("sub.u32 {0}left, {0}left, 1;", p_);
    line("setp.ne.u32 {0}more, {0}left, 0;", p_);
    line("@{}more bra each{};", p_, number_);
    line("chased{}:", number_);
  }

  void record() {
    if (!kernel_.each->streamed) {
      line("mad.lo.u32 {0}from, {0}row, 4, {1};", p_, operands_.latencies);
      line("st.volatile.shared.u32 [{0}from], {0}to;", p_);
      return line("add.u32 {0}row, {0}row, 1;", p_);
    }
    line("cvt.u64.u32 {0}wide, {0}to;", p_);
    line("st.global.u64 [{0}out], {0}wide;", p_);
    line("{1} {0}wide, {0}first;", p_, is_wide(chase_) ? "mov.u64" : "cvt.u64.u32");
    if (has_own_copy(space_)) line("sub.u64 {0}wide, {0}wide, {0}base;", p_);
    line("st.global.u64 [{0}out+8], {0}wide;", p_);
    line("add.u64 {0}out, {0}out, 16;", p_);
  }

  const Kernel& kernel_;
  const Instruction& chase_;
  const ChaseOperands& operands_;
  const std::string& p_;  // What the names begin with.
  const std::uint32_t number_;
  const Space space_;
  const std::string_view type_;  // Of a link.
  ChaseExpansion made_;
};

}  // namespace

ChaseExpansion expand_chase(const Kernel& kernel, const Instruction& chase,
                            const ChaseOperands& operands, const std::string& result,
                            const std::string& prefix, std::uint32_t number) {
  return ChaseExpander(kernel, chase, operands, prefix, number).run(result);
}

}  // namespace gpx::codegen
