// The names of a warpgroup's products, and `data`: lang/warpgroup.h.
#include "lang/warpgroup.h"

#include <doctest/doctest.h>

#include "lang/operations.h"
#include "lang/read.h"

namespace gpx {
namespace {

std::string error_of(const std::string& text) {
  const auto read = read_experiments(Source("t", text));
  return read ? std::string() : render(read.error());
}

TEST_CASE("names follow from shape, types and form") {
  const WarpgroupProduct* product = find_warpgroup_product("wgmma.m64n256k16.f32.f16.ss");
  REQUIRE(product);
  CHECK(product->n == 256);
  CHECK(product->sum_registers() == 128);
  CHECK(product->multiply_adds() == 64 * 256 * 16);
  CHECK_FALSE(product->a_in_registers);
  const WarpgroupProduct* sparse = find_warpgroup_product("wgmma.sp.m64n8k64.s32.s8.rs.wait");
  REQUIRE(sparse);
  CHECK((sparse->sparse && sparse->a_in_registers && sparse->waits));
  CHECK(find_warpgroup_product("wgmma.m64n8k16.f16.f16.ss")->sum_registers() == 2);
  CHECK(find_warpgroup_product("wgmma.m64n24k16.f32.f16.ss") == nullptr);
  CHECK(is_operation("wgmma.m64n8k8.f32.tf32.rs"));
}

TEST_CASE("data is zeros or random, behind a matrix product") {
  CHECK(error_of("threads 128 < mma.m16n8k16.f16 x4 chain data zeros >").empty());
  CHECK(error_of("sweep d in [zeros, random] threads 128 < mma.m16n8k16.f16 x4 data d >").empty());
  CHECK(error_of("< add.u32 x4 chain data zeros >").find("add.u32 takes no data") !=
        std::string::npos);
  CHECK(error_of("< mma.m16n8k16.f16 x4 chain data ones >").find("data is zeros or random") !=
        std::string::npos);
}

}  // namespace
}  // namespace gpx
