// The rule of the warpgroup's products. Interface: warpgroup.h.
#include "lang/warpgroup.h"

#include <fmt/format.h>

#include <unordered_map>
#include <vector>

namespace gpx {
namespace {

constexpr WarpgroupTypes kTypes[] = {
    {"f32", "f16", 16, "HGMMA", "half precision, single precision sum"},
    {"f16", "f16", 16, "HGMMA", "half precision"},
    {"f32", "bf16", 16, "HGMMA", "bfloat, single precision sum"},
    {"f32", "tf32", 8, "HGMMA", "tf32, single precision sum"},
    {"f32", "e4m3", 32, "QGMMA", "8-bit floats, 4 bits of exponent, single precision sum"},
    {"f32", "e5m2", 32, "QGMMA", "8-bit floats, 5 bits of exponent, single precision sum"},
    {"s32", "s8", 32, "IGMMA", "signed bytes, 32-bit sum"},
    {"s32", "u8", 32, "IGMMA", "unsigned bytes, 32-bit sum"},
};
constexpr unsigned kColumns[] = {8, 16, 32, 64, 128, 256};

WarpgroupProduct product_of(const WarpgroupTypes& types, unsigned n, bool sparse, bool registers,
                            bool waits) {
  WarpgroupProduct made{{},     {},        &types, n, sparse ? 2 * types.k : types.k,
                        sparse, registers, waits};
  made.name = fmt::format("wgmma{}.m64n{}k{}.{}.{}.{}{}", sparse ? ".sp" : "", n, made.k, types.sum,
                          types.factor, registers ? "rs" : "ss", waits ? ".wait" : "");
  made.help = fmt::format("64x{}x{} {}product of a warpgroup: {}; {} in shared memory{}", n, made.k,
                          sparse ? "sparse " : "", types.help, registers ? "B" : "A and B",
                          waits ? "; each is waited for" : "");
  return made;
}

}  // namespace

std::span<const WarpgroupProduct> warpgroup_products() {
  static const std::vector<WarpgroupProduct> all = [] {
    std::vector<WarpgroupProduct> made;
    for (const bool sparse : {false, true})
      for (const WarpgroupTypes& types : kTypes)
        for (const bool registers : {false, true})
          for (const bool waits : {false, true})
            for (const unsigned n : kColumns)
              made.push_back(product_of(types, n, sparse, registers, waits));
    return made;
  }();
  return all;
}

const WarpgroupProduct* find_warpgroup_product(std::string_view name) {
  if (!name.starts_with("wgmma.")) return nullptr;
  static const auto by_name = [] {
    std::unordered_map<std::string_view, const WarpgroupProduct*> all;
    for (const WarpgroupProduct& product : warpgroup_products())
      all.emplace(product.name, &product);
    return all;
  }();
  const auto found = by_name.find(name);
  return found == by_name.end() ? nullptr : found->second;
}

}  // namespace gpx
