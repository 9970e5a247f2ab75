// The frame of the timed region. Interface: codegen/emit/region.h.
#include "codegen/emit/region.h"

#include <algorithm>

namespace gpx::codegen {
RegionEmitter::RegionEmitter(const Kernel& kernel)
    : kernel_(kernel),
      shared_(kernel),
      clocked_(kernel.clocked()),
      folds_(has_sum(kernel)),
      orders_(needs_order(kernel)),
      rehearses_(kernel.rehearses()) {
  std::uint32_t operation = 0, chase = 0;
  for_each(kernel.timed, [&](const Instruction& i) {
    if (i.op == Op::operate)
      expansions_[&i] =
          expand(operation_of(i), i.count, i.streams, fmt::format("op{}_", operation++), i.data);
    if (is_chase(i.op)) chases_[&i] = fmt::format("chase{}_", chase++);
  });
}

std::string RegionEmitter::run() {
  landings_ = count_landings(kernel_);
  operands();
  declarations();
  ready();
  unknowns();
  if (has_bulk(kernel_))
    for (const std::string& line : bulk_starts(kernel_)) block_.line("{}", line);
  if (rehearses_) {
    block_.line("mov.u32 pass, {};", rehearse_);
    block_.label("again");
    block_.line(".pragma \"nounroll\";");
  }
  starts();
  landings();
  meet();
  if (clocked_) block_.line("bar.sync 0;");
  if (clocked_) block_.line("mov.u64 {}, %clock64;", start_);
  body(kernel_.timed);
  if (branches()) block_.line("bar.warp.sync 0xffffffff;");
  if (folds_) fold();
  if (clocked_) block_.line("{}bar.sync 0;", folds_ ? "@!hit " : "");
  if (clocked_) block_.line("mov.u64 {}, %clock64;", end_);
  end();
  return block_.text();
}

// The barrier before the end clock wants whole warps. Without a convergence of our own behind the
// body, ptxas puts one right behind a loop, where lanes that have left it would wait for lanes that
// need what the left ones do next: Wong's Listing 4 would hang on GPUs that schedule lanes
// independently (seen on an H100), where by itself it ends.
bool RegionEmitter::branches() const {
  return !all_of(kernel_, Op::when).empty() || !all_of(kernel_, Op::loop).empty() ||
         !all_of(kernel_, Op::diverge).empty();
}

// Outputs first: start, end, fold, then what only some kernels have.
void RegionEmitter::operands() {
  if (clocked_) start_ = block_.output("=&l", "start"), end_ = block_.output("=&l", "end");
  if (folds_) fold_ = block_.output("=&r", "fold");
  if (!kernel_.stamps.empty()) idle_ = block_.output("=&r", "idle");
  for (std::size_t i = 0; i < kernel_.stamps.size(); ++i)
    stamps_[kernel_.stamps[i]] = block_.output("=&r", fmt::format("stamp{}", i));
  sink_ = block_.input("l", "sink");
  never_ = block_.input("l", "never");
  never_low_ = block_.input("r", "(u32)never");
  operands_.resize(kernel_.registers.size());
  for (std::uint32_t reg : kernel_.setup.back().operands)
    operands_[reg] = block_.input(is_64_bits(reg) ? "l" : "r", name(reg));
  if (rehearses_) rehearse_ = block_.input("r", "(u32)rehearse");
  if (!kernel_.keeps.empty()) result_ = block_.input("l", "result");
  if (!shared_.words.empty()) words_ = block_.input("r", "words");
  if (has_bulk_loads(kernel_)) full_ = block_.input("r", "full");
  if (!kernel_.each) return;
  indices_ = block_.input("r", "indices");
  if (kernel_.each->streamed) {
    rows_ = block_.input("l", "rows");
  } else {
    latencies_ = block_.input("r", "latencies");
  }
}

std::string RegionEmitter::spelled(std::uint32_t reg) const {
  const std::uint32_t count = words(type(reg));
  std::string made;
  for (std::uint32_t w = 0; w < std::max(count, 1u); ++w) made += (w ? ", " : "") + word(reg, w);
  return count > 1 ? fmt::format("{{{}}}", made) : made;
}

std::string RegionEmitter::word(std::uint32_t reg, std::uint32_t index) const {
  if (!operands_[reg].empty()) return operands_[reg];
  return words(type(reg)) > 1 ? fmt::format("{}_{}", name(reg), index) : name(reg);
}

void RegionEmitter::declarations() {
  std::vector<std::string> words32, predicates, bits32, bits64;
  if (orders_) words32.emplace_back("order");
  for_each(kernel_.timed, [&](const Instruction& i) {
    if (i.result == kNoRegister) return;
    if (type(i.result) == Type::pred) return predicates.push_back(name(i.result));
    if (type(i.result) == Type::wide) {
      words32.push_back(low_half(i.result));
      return bits64.push_back(name(i.result));
    }
    // An atomic of any type takes and gives bits.
    if (is_atomic(i.op)) return bits32.push_back(name(i.result));
    for (std::uint32_t w = 0; w < words(type(i.result)); ++w) words32.push_back(word(i.result, w));
  });
  block_.line(".reg .pred hit;");
  block_.declare("u32", words32);
  block_.declare("b32", bits32);
  block_.declare("b64", bits64);
  block_.declare("pred", predicates);
  if (!expansions_.empty()) {
    block_.line(".reg .pred {}, {};", kEvenGuard, kOddGuard);
    block_.line(".reg .u32 {};", kUnknown);
  }
  if (has_bulk(kernel_))
    block_.line(".reg .pred elected, arrived;"), block_.line(".reg .u32 elector;");
  if (has_bulk_loads(kernel_)) block_.line(".reg .u32 parity;"), block_.line(".reg .b64 token;");
  if (landings_ > 0) block_.line(".reg .pred leap;");
  for_each(kernel_.timed, [&](const Instruction& i) {
    if (i.op != Op::operate) return;
    for (const std::string& declaration : expansions_.at(&i).declarations)
      block_.line("{}", declaration);
  });
  if (rehearses_) block_.line(".reg .pred more;"), block_.line(".reg .u32 pass;");
  if (!kernel_.keeps.empty()) block_.line(".reg .u64 kept;");
  if (!all_of(kernel_, Op::diverge).empty()) block_.line(".reg .pred chosen;");
  for_each(kernel_.timed, [&](const Instruction& i) {
    if (!is_chase(i.op)) return;
    for (const std::string& declaration : chase(i, 0).declarations) block_.line("{}", declaration);
  });
}

void RegionEmitter::ready() {
  const std::vector<std::uint32_t>& used = kernel_.setup.back().operands;
  const auto is_address = [this](std::uint32_t reg) { return type(reg) == Type::address; };
  const auto first = std::find_if(used.begin(), used.end(), is_address);
  block_.line("setp.eq.u64 hit, {}, {};", first == used.end() ? sink_ : word(*first, 0), never_);
  for (std::uint32_t reg : used)
    block_.line("@hit st.global.{} [{}], {};", is_64_bits(reg) ? "u64" : "u32", sink_,
                word(reg, 0));
}

// Two predicates that are true because the argument `never` is odd and no address, and a word that
// differs between threads: a compiler knows none of them.
void RegionEmitter::unknowns() {
  if (expansions_.empty()) return;
  block_.line("setp.ne.u64 {}, {}, {};", kEvenGuard, sink_, never_);
  block_.line("setp.ne.u32 {}, {}, 0;", kOddGuard, never_low_);
  block_.line("mov.u32 {}, %tid.x;", kUnknown);
  block_.line("add.u32 {}, {}, {};", kUnknown, kUnknown, never_low_);
}

std::vector<RegionEmitter::Nested> RegionEmitter::nested_words() const {
  std::vector<Nested> found;
  for (const Instruction& outer : kernel_.timed)
    for (const auto& region : outer.regions)
      for_each(region, [&](const Instruction& i) {
        if (!is_load(i.op) && !is_chase(i.op)) return;
        for (std::uint32_t w = 0; w < words(type(i.result)); ++w)
          found.push_back({type(i.result) == Type::wide ? "u64" : "u32", word(i.result, w)});
      });
  return found;
}

// What each pass begins with, before the barrier.
void RegionEmitter::starts() {
  for (const auto& [bits, nested] : nested_words()) block_.line("mov.{} {}, 0;", bits, nested);
  for_each(kernel_.timed, [&](const Instruction& i) {
    if (i.op == Op::operate)
      for (const std::string& start : expansions_.at(&i).starts) block_.put(start);
    if (is_chase(i.op))
      for (const std::string& start : chase(i, 0).starts) block_.line("{}", start);
  });
  for (const Instruction* shared : shared_.words)
    block_.line("st.volatile.shared.u32 {}, {};", word_at(shared->name),
                word(shared->operands[0], 0));
  if (stamps_.empty()) return;
  // Time only grows: a stamp that still equals the clock before the barrier was not passed.
  block_.line("mov.u32 {}, %clock;", idle_);
  for (const std::string& label : kernel_.stamps)
    block_.line("mov.u32 {}, {};", stamps_.at(label), idle_);
}

// Jumps that are never taken (`never` is odd) into the operations, one for each full block of them:
// so ptxas must keep the blocks apart, and no instruction of the region tells of it. The condition
// is the same for all threads, or ptxas would let diverged threads meet again inside; with bra.uni
// it puts a copy of the chain into the region.
void RegionEmitter::landings() {
  for (std::uint32_t i = 0; i < landings_; ++i) {
    block_.line("setp.eq.u32 leap, {}, {};", never_low_, 2 * i);
    block_.line("@leap bra landing{};", i);
  }
}

// The blocks of a cluster begin together, and none leaves before the others.
void RegionEmitter::meet() {
  if (!kernel_.clustered) return;
  for (const std::string& line : cluster_barrier(Op::sync_cluster_div)) block_.line("{}", line);
}

void RegionEmitter::operate(const Instruction& instruction) {
  for (const std::string& line : expansions_.at(&instruction).lines) {
    if (landings_ > 0 && emitted_ > 0 && emitted_ % kBlockLines == 0)
      block_.label(fmt::format("landing{}", emitted_ / kBlockLines - 1));
    block_.line("{}", line);
    ++emitted_;
  }
}

void RegionEmitter::fold() {
  if (orders_) block_.line("mov.u32 order, %clock;");
  std::string sum = orders_ ? "order" : "";
  const auto add = [&](const std::string& term) {
    if (sum.empty()) {
      block_.line("mov.u32 {}, {};", fold_, term);
    } else {
      block_.line("add.u32 {}, {}, {};", fold_, sum, term);
    }
    sum = fold_;
  };
  std::vector<std::string> terms = loaded_words();
  const std::vector<Addition> partial = partial_sums(kernel_, terms);
  for (const auto& [into, term] : partial) block_.line("add.u32 {0}, {0}, {1};", into, term);
  if (!partial.empty()) terms.resize(1);
  for (const std::string& term : terms) add(term);
  for (const Instruction* operate : all_of(kernel_, Op::operate)) {
    const Expansion& expansion = expansions_.at(operate);
    for (const std::string& convert : expansion.converts) block_.line("{}", convert);
    for (const std::string& result : expansion.words) add(result);
  }
  wait();
}

// The words that the end clock waits for; of 64 bits the low halves.
std::vector<std::string> RegionEmitter::loaded_words() {
  std::vector<std::string> made;
  for (std::uint32_t value : kernel_.timed.back().operands) {
    const bool wide = type(value) == Type::wide;
    if (wide) block_.line("cvt.u32.u64 {}, {};", low_half(value), word(value, 0));
    for (std::uint32_t w = 0; w < words(type(value)); ++w)
      made.push_back(wide ? low_half(value) : word(value, w));
  }
  return made;
}

// Makes the end clock wait for the sum.
void RegionEmitter::wait() {
  if (clocked_) {
    // The barrier before the end clock is guarded by the sum, and so waits for it. A store would
    // too, but takes a clock of the load/store unit that the loads need (31 clocks in a block of
    // 1024 threads on an H100). `hit` is false whatever the sum: no barrier is ever left out.
    block_.line("setp.eq.and.u32 hit, {}, {}, hit;", fold_, never_low_);
  } else {
    block_.line("setp.eq.u32 hit, {}, {};", fold_, never_low_);
    block_.line("@hit st.global.u32 [{}], {};", sink_, fold_);
  }
}

// After the end clock.
void RegionEmitter::end() {
  if (orders_) block_.line("sub.u32 {}, {}, order;", fold_, fold_);
  if (rehearses_) {
    block_.line("setp.ne.u32 more, pass, 0;");
    block_.line("sub.u32 pass, pass, 1;");
    block_.line("@more bra again;");
  }
  meet();
}

}  // namespace gpx::codegen
