// Which parts of a device a device file describes.
#include "runtime/device/vgpu/description/model_parts.h"

#include <doctest/doctest.h>

#include <map>

#include "runtime/device/vgpu/description/model_values.h"
#include "tests/device_files.h"
#include "tests/golden.h"

using namespace gpx;
using namespace gpx::vgpu::timing;
using Name = ModelPart::Name;

namespace {

std::map<Name, bool> parts_of(const std::string& device) {
  const std::string text = test::read_text(test::device_file(device));
  const auto description = parse_description(device, text);
  REQUIRE(description);
  std::map<Name, bool> parts;
  for (const ModelPart& part : model_parts(*description)) {
    CHECK_FALSE(part.without.empty());
    CHECK(parts.emplace(part.name, part.modelled).second);
  }
  return parts;
}

}  // namespace

TEST_CASE("a part is modelled where its section is in the device file") {
  auto k20 = parts_of("k20"), gtx280 = parts_of("gtx280");
  CHECK(k20[Name::l2]);
  CHECK_FALSE(k20[Name::shared_banks]);
  CHECK_FALSE(k20[Name::translation]);
  CHECK_FALSE(k20[Name::constant_caches]);
  CHECK_FALSE(k20[Name::instruction_caches]);
  CHECK_FALSE(gtx280[Name::l2]);
  for (const Name name : {Name::shared_banks, Name::translation, Name::constant_caches,
                          Name::texture_caches, Name::instruction_caches})
    CHECK(gtx280[name]);
}

TEST_CASE("what a device file plants is told in words") {
  const auto values_of = [](const std::string& device) {
    const auto description = parse_description(device, test::read_text(test::device_file(device)));
    REQUIRE(description);
    std::map<std::string, std::string> values;
    for (const ModelValue& one : model_values(*description)) {
      CHECK(values.emplace(one.part, one.value).second);
      CHECK_FALSE(one.value.empty());
    }
    return values;
  };
  auto hopper = values_of("hopper"), gtx780 = values_of("gtx780"), m2070 = values_of("m2070");
  CHECK(hopper["block launch"] == "a block every 1.2 clocks, over all SMs");
  CHECK(hopper["L1"].starts_with(
      "256 KB, 512 sets of 4 ways, aged, lines of 128 B, sectors of 32 B"));
  CHECK(hopper["schedulers"] == "4 of an SM, a warp instruction of each every clock");
  CHECK(gtx780["L2"] == "1536 KB, 1024 sets of 12 ways, lru, lines of 128 B, 230 clocks");
  CHECK(gtx780["DRAM"] == "371 clocks, a line every 0.383 clocks");
  CHECK(gtx780["TLB L2"] ==
        "130 MB, 7 sets of 8 to 17 ways, lru, pages of 2 MB, a miss 59 clocks more (363 clocks "
        "before DRAM)");
  CHECK(values_of("gtx560ti")["L1"].ends_with(", a miss 6 more (15 before DRAM)"));
  CHECK(gtx780["PRT"] == "42 entries of an SM, 18 more requests");
  CHECK(gtx780["operations"].find("alu 9 / 0.2") != std::string::npos);
  CHECK(!gtx780.contains("L1"));
  CHECK(gtx780["TLB L1"].starts_with("32 MB, 1 set of 16 ways"));
  CHECK(m2070.contains("MSHRs"));
  CHECK(hopper["L2 partitions"].find("takes 0 to 178 clocks more") != std::string::npos);
  CHECK(hopper["atomics"].find("of L2 1.447 clocks for an address, 3.474 of floating point, "
                               "by units of several lines") != std::string::npos);
  CHECK(hopper["clusters"].starts_with("16 blocks, 173 clocks"));
  CHECK_FALSE(gtx780.contains("clusters"));
  CHECK(values_of("fx5600")["block launch"] == "a block as soon as an SM has room");
}
