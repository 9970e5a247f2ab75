// Which parts of a device a device file describes.
#include "runtime/device/vgpu/description/model_parts.h"

#include <doctest/doctest.h>

#include <map>

#include "tests/golden.h"

using namespace gpx;
using namespace gpx::vgpu::timing;
using Name = ModelPart::Name;

namespace {

std::map<Name, bool> parts_of(const std::string& device) {
  const std::string text = test::read_text(GPX_SOURCE_DIR "/stdlib/devices/" + device + ".lua");
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
