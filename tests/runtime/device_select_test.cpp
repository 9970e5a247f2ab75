#include <doctest/doctest.h>

#include "runtime/device/select.h"

namespace gpx {
namespace {

const Paths kPaths{GPX_SOURCE_DIR "/stdlib", GPX_SOURCE_DIR "/experiments"};

TEST_CASE("what --device names") {
  struct Row {
    const char* name;
    const char* resolved;  // the end of it; empty: an error
  };
  const Row rows[] = {
      {"cuda", "cuda:0"},     {"cuda:3", "cuda:3"},
      {"k20", "/k20.lua"},    {"my/device.lua", "my/device.lua"},
      {"cuda:", ""},          {"cuda:x", ""},
      {"cuda:-1", ""},        {"k2O", ""},
      {"../devices/k20", ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const auto resolved = resolve_device(row.name, "", kPaths);
    CHECK(resolved.has_value() == (*row.resolved != 0));
    if (resolved) CHECK(resolved->ends_with(row.resolved));
    if (!resolved) CHECK(resolved.error().fault == Fault::input);
  }
}

TEST_CASE("an unknown device is met with the nearest name and with all there are") {
  const auto resolved = resolve_device("m2O70", "", kPaths);
  REQUIRE(!resolved.has_value());
  CHECK(resolved.error().diagnostics[0].hint.find("m2070") != std::string::npos);
  CHECK(resolved.error().diagnostics[0].message.find("k20") != std::string::npos);
}

TEST_CASE("a device is described without being opened to run") {
  const auto described = resolve_device("k20", "", kPaths).and_then(describe_device);
  REQUIRE(described.has_value());
  CHECK(described->name == "k20");
  CHECK(described->kind == "virtual");
  for (const char* wrong : {"cuda:x", "nothing"}) {
    CHECK(describe_device(wrong).error().fault == Fault::input);
    CHECK(open_device(wrong).error().fault == Fault::input);
  }
}

TEST_CASE("what --device may name begins with auto and ends with the virtual devices") {
  const std::vector<std::string> names = device_names(kPaths);
  REQUIRE(names.size() > 4);
  CHECK(std::vector(names.begin(), names.begin() + 3) ==
        std::vector<std::string>{"auto", "cuda", "8800gt"});
}

TEST_CASE("a device file that is not there, or is no device, is the user's error") {
  const auto missing = open_device("/nothing/here.lua");
  REQUIRE(!missing.has_value());
  CHECK(missing.error().fault == Fault::input);
}

}  // namespace
}  // namespace gpx
