// Rooms have a direction: an #include that goes from a room to a later one of rooms.txt fails.
#include <doctest/doctest.h>

#include "tests/house/rooms.h"

namespace gpx::house {
namespace {

/// Neither may include the other: a proof that knew the emitter would compare its text with itself.
constexpr const char *kEmitter = "codegen/emit", *kProof = "codegen/proof";

/// "codegen/ir/kernel.h includes runtime/pipeline.h: codegen/ir is below runtime", one a line.
std::string upward(const std::vector<Room>& rooms, const std::string& file,
                   const std::string& text) {
  const std::size_t from = room_of(rooms, file);
  if (from == rooms.size()) return file + " is in no room of tests/house/rooms.txt\n";
  std::string found;
  for (const std::string& include : includes(text)) {
    const std::size_t to = room_of(rooms, include);
    if (to == rooms.size()) continue;
    const bool apart = rooms[from].path == kProof && rooms[to].path == kEmitter;
    if (apart) found += file + " includes " + include + ": the two rooms stand apart\n";
    if (to > from)
      found += file + " includes " + include + ": " + rooms[from].path + " is below " +
               rooms[to].path + "\n";
  }
  return found;
}

TEST_CASE("includes go from a room to itself or to those below it") {
  const auto all = rooms();
  REQUIRE(all.size() > 20);
  const auto files = sources();
  CHECK(files.size() > 400);
  std::string found;
  for (const std::string& file : files) found += upward(all, file, read(GPX_SOURCE_DIR "/" + file));
  CHECK_MESSAGE(found.empty(), found);
}

TEST_CASE("an upward include is named") {
  const std::vector<Room> all = {
      {"lang", ""}, {"codegen/ir", ""}, {"runtime/device", ""}, {"runtime", ""}};
  CHECK(upward(all, "codegen/ir/kernel.h",
               "#include <vector>\n#include \"lang/expr.h\"\n#include \"runtime/pipeline.h\"\n") ==
        "codegen/ir/kernel.h includes runtime/pipeline.h: codegen/ir is below runtime\n");
  CHECK(upward({{kEmitter, ""}, {kProof, ""}}, "codegen/proof/chains.cpp",
               "#include \"codegen/emit/emit.h\"\n") ==
        "codegen/proof/chains.cpp includes codegen/emit/emit.h: the two rooms stand apart\n");
  CHECK(upward(all, "runtime/pipeline.h", "#include \"runtime/device/backend.h\"\n").empty());
  CHECK(upward(all, "stray/x.h", "") == "stray/x.h is in no room of tests/house/rooms.txt\n");
}

}  // namespace
}  // namespace gpx::house
