// A warpgroup's products as PTX. Interface: codegen/ir/warpgroup.h.
#include "codegen/ir/warpgroup.h"

#include <fmt/format.h>

#include <deque>

#include "codegen/ir/operand_data.h"

namespace gpx::codegen {
namespace {

using Product = WarpgroupProduct;

/// The mnemonic with its types.
std::string mnemonic(const Product& product) {
  const std::string_view factor = product.types->factor;
  return fmt::format("wgmma.mma_async{}.sync.aligned.m64n{}k{}.{}.{}.{}",
                     product.sparse ? ".sp" : "", product.n, product.k, product.types->sum, factor,
                     factor);
}

/// What stands behind the operands: the sum counts, nothing is negated, both tiles are K-major.
std::string scales(const Product& product) {
  const bool integer = product.types->sum == "s32";
  const bool transposes = product.types->factor == "f16" || product.types->factor == "bf16";
  std::string made = integer ? "1" : "1, 1, 1";
  if (transposes) made += product.a_in_registers ? ", 0" : ", 0, 0";
  return made;
}

class WarpgroupExpander {
 public:
  WarpgroupExpander(const Product& product, std::uint32_t streams, const std::string& prefix,
                    OperandData data)
      : product_(product), streams_(streams), prefix_(prefix), zeros_(data == OperandData::zeros) {}

  Expansion run(std::uint32_t count) {
    declare("u32", {"bits", "scratch", "first", "tile", "row", "step"});
    declare("pred", {"more"});
    shared(8, kReady, 8);
    shared(1024, kTiles, tile_bytes());
    tiles();
    first();
    sums();
    if (product_.a_in_registers) factors();
    operands();
    executions(count);
    made_.registers += 6;  // Two descriptors, what selects a sparse product's elements.
    return std::move(made_);
  }

 private:
  static constexpr std::string_view kReady = "ready", kTiles = "tiles";
  static constexpr std::uint32_t kFactors = 4;  // Registers of A: 64 rows of 32 bytes.

  std::string named(std::string_view what) const { return fmt::format("{}{}", prefix_, what); }
  std::string sum(std::uint32_t stream, std::uint32_t part) const {
    return fmt::format("{}r{}_{}", prefix_, stream, part);
  }
  std::string list_of(std::string_view letter, std::uint32_t count) const {
    std::string made;
    for (std::uint32_t i = 0; i < count; ++i)
      made += fmt::format("{}{}{}{}", i > 0 ? ", " : "", prefix_, letter, i);
    return made;
  }

  void declare(std::string_view type, std::initializer_list<std::string_view> names) {
    for (std::string_view name : names)
      made_.declarations.push_back(fmt::format(".reg .{} {};", type, named(name)));
  }
  void shared(unsigned align, std::string_view name, unsigned bytes) {
    made_.declarations.push_back(
        fmt::format(".shared .align {} .b8 {}[{}];", align, named(name), bytes));
  }
  template <typename... Args>
  void start(fmt::format_string<Args...> text, Args&&... args) {
    made_.starts.push_back(fmt::format(text, std::forward<Args>(args)...));
  }

  std::uint32_t tile_bytes() const { return (Product::kRows + product_.n) * Product::kRowBytes; }
  const RandomBits& random() const { return random_bits_of(product_.types->factor); }

  // All threads write: A, then B. The tensor cores read by a way of their own: hence the fence.
  void tiles() {
    start("mov.u32 {}, {};", named("tile"), named(kTiles));
    start("mov.u32 {}, %tid.x;", named("row"));
    start("mov.u32 {}, %ntid.x;", named("step"));
    start("{}:", named("fill"));
    start("add.u32 {}, {}, 1;", named("bits"), named("row"));
    if (zeros_) {
      start("mov.u32 {}, 0;", named("bits"));
    } else {
      add_random(made_.starts, named("bits"), named("scratch"), random());
    }
    start("shl.b32 {}, {}, 2;", named("scratch"), named("row"));
    start("add.u32 {0}, {0}, {1};", named("scratch"), named("tile"));
    start("st.volatile.shared.u32 [{}], {};", named("scratch"), named("bits"));
    start("add.u32 {0}, {0}, {1};", named("row"), named("step"));
    start("setp.lt.u32 {}, {}, {};", named("more"), named("row"), tile_bytes() / 4);
    start("@{} bra {};", named("more"), named("fill"));
    start("fence.proxy.async.shared::cta;");
    start("bar.sync 0;");
  }

  // As of other operations: through a word of shared memory that may change.
  void first() {
    start("st.volatile.shared.u32 [{}], 0;", named(kReady));
    start("ld.volatile.shared.u32 {}, [{}];", named("first"), named(kReady));
    start("add.u32 {0}, {0}, {1};", named("first"), kUnknown);
  }

  std::string_view sum_type() const {
    return product_.types->sum == "f16" ? "b32" : product_.types->sum;
  }

  // Sums start from 1 to 2 (integers: any), or from zeros that no compiler knows.
  void sums() {
    const bool integer = product_.types->sum == "s32", half = product_.types->sum == "f16";
    const std::uint32_t mask = integer ? 0xffff : half ? 0x03ff03ff : 0x7fffff;
    const std::uint32_t fixed = integer ? 0x10000 : half ? 0x3c003c00 : 0x3f800000;
    for (std::uint32_t s = 0; s < streams_; ++s)
      for (std::uint32_t c = 0; c < product_.sum_registers(); ++c) {
        made_.declarations.push_back(fmt::format(".reg .{} {};", sum_type(), sum(s, c)));
        if (zeros_) {
          zero();
        } else {
          start("mad.lo.u32 {}, {}, {}, {};", named("bits"), named("first"), 2 * (s * 128 + c) + 3,
                0x9e37 * (s + 1) + 0x79b9 * c);
          start("and.b32 {0}, {0}, {1};", named("bits"), mask);
          start("or.b32 {0}, {0}, {1};", named("bits"), fixed);
        }
        start("mov.b32 {}, {};", sum(s, c), named("bits"));
        ready(sum(s, c), c % 2 == 0);
        word(s, c);
      }
    made_.registers += streams_ * product_.sum_registers();
  }

  void zero() { start("ld.volatile.shared.u32 {}, [{}];", named("bits"), named(kReady)); }

  // Stored where the guard is not true, so never: so it is computed before the region.
  void ready(const std::string& name, bool even) {
    start("@!{} st.volatile.shared.b32 [{}], {};", even ? kEvenGuard : kOddGuard, named(kReady),
          name);
  }

  void word(std::uint32_t stream, std::uint32_t part) {
    const std::string low = fmt::format("{}low_{}_{}", prefix_, stream, part);
    made_.declarations.push_back(fmt::format(".reg .b32 {};", low));
    made_.converts.push_back(fmt::format("mov.b32 {}, {};", low, sum(stream, part)));
    made_.words.push_back(low);
  }

  void factors() {
    made_.declarations.push_back(fmt::format(".reg .b32 {};", list_of("a", kFactors)));
    for (std::uint32_t i = 0; i < kFactors; ++i) {
      const std::string name = fmt::format("{}a{}", prefix_, i);
      if (zeros_) {
        zero();
      } else {
        start("mad.lo.u32 {}, {}, 4, {};", named("bits"), named("first"), i + 1);
        add_random(made_.starts, named("bits"), named("scratch"), random());
      }
      start("mov.b32 {}, {};", name, named("bits"));
      ready(name, i % 2 == 0);
    }
    made_.registers += kFactors;
  }

  // Descriptors (PTX ISA, "Matrix Descriptor Format"): address / 16; groups of 8 rows 1024 bytes
  // apart; swizzled over 128 bytes. And which elements a sparse A has: the first of each group.
  void operands() {
    declare("u32", {"high"});
    declare("b64", {"da", "db"});
    start("and.b32 {}, {}, {};", named("bits"), named("tile"), 0x3ffff);
    start("shr.u32 {0}, {0}, 4;", named("bits"));
    start("or.b32 {0}, {0}, {1};", named("bits"), 1u << 16);
    start("mov.u32 {}, {};", named("high"), 1u << 30 | 1024 / 16);
    start("mov.b64 {}, {{{}, {}}};", named("da"), named("bits"), named("high"));
    start("add.u32 {0}, {0}, {1};", named("bits"), Product::kRows * Product::kRowBytes / 16);
    start("mov.b64 {}, {{{}, {}}};", named("db"), named("bits"), named("high"));
    if (!product_.sparse) return;
    declare("b32", {"kept"});
    start("mov.u32 {}, {};", named("kept"), 0x44444444);
  }

  void executions(std::uint32_t count) {
    const std::string a =
        product_.a_in_registers ? fmt::format("{{{}}}", list_of("a", kFactors)) : named("da");
    const std::string kept = product_.sparse ? fmt::format(", {}, 0", named("kept")) : "";
    const std::string tail = fmt::format("{}, {}{}, {};", a, named("db"), kept, scales(product_));
    made_.lines.emplace_back("wgmma.fence.sync.aligned;");
    for (std::uint32_t i = 0; i < count; ++i) {
      made_.lines.push_back(
          fmt::format("{} {{{}}}, {}", mnemonic(product_),
                      list_of(fmt::format("r{}_", i % streams_), product_.sum_registers()), tail));
      if (!product_.waits && i + 1 < count) continue;
      made_.lines.emplace_back("wgmma.commit_group.sync.aligned;");
      made_.lines.emplace_back("wgmma.wait_group.sync.aligned 0;");
    }
  }

  const Product& product_;
  const std::uint32_t streams_;
  const std::string& prefix_;
  const bool zeros_;
  Expansion made_;
};

/// What messages and `gpx operations` show of a product.
struct ShownRow {
  std::string ptx;
  Operation row;
};

}  // namespace

const Operation* find_warpgroup_operation(std::string_view name) {
  static const std::deque<ShownRow> rows = [] {
    std::deque<ShownRow> made;
    for (const Product& product : warpgroup_products()) {
      ShownRow& row = made.emplace_back();
      row.ptx = fmt::format("{} {{r}}, {}, db, {};", mnemonic(product),
                            product.a_in_registers ? "{a}" : "da", scales(product));
      row.row = {product.name, product.types->sum, "wgmma", 90, row.ptx, product.types->sass};
    }
    return made;
  }();
  const Product* product = find_warpgroup_product(name);
  if (!product) return nullptr;
  return &rows[static_cast<std::size_t>(product - warpgroup_products().data())].row;
}

Expansion expand(const Product& product, std::uint32_t count, std::uint32_t streams,
                 const std::string& prefix, OperandData data) {
  return WarpgroupExpander(product, streams, prefix, data).run(count);
}

std::string warpgroup_steps(const Kernel& kernel) {
  std::string made;
  for_each(kernel.timed, [&](const Instruction& i) {
    const Product* product = i.op == Op::operate ? find_warpgroup_product(i.name) : nullptr;
    if (!product) return;
    for (std::uint32_t n = 0; n < i.count; ++n) {
      if (n == 0) made += static_cast<char>(WarpgroupStep::arrive);
      made += static_cast<char>(WarpgroupStep::product);
      if (product->waits || n + 1 == i.count) made += static_cast<char>(WarpgroupStep::wait);
    }
  });
  return made;
}

}  // namespace gpx::codegen
