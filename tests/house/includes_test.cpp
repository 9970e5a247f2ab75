// Rooms have a direction: an #include that goes from a room to a later one of rooms.txt fails.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Paths of rooms.txt in its order.
std::vector<std::string> rooms() {
  std::istringstream lines(read(GPX_TESTS_DIR "/house/rooms.txt"));
  std::vector<std::string> made;
  for (std::string line; std::getline(lines, line);)
    if (!line.empty() && line[0] != '#') made.push_back(line.substr(0, line.find(' ')));
  return made;
}

/// Index of the room with the longest path that begins `file`; rooms.size() where there is none.
std::size_t room_of(const std::vector<std::string>& rooms, std::string_view file) {
  std::size_t best = rooms.size(), length = 0;
  for (std::size_t i = 0; i < rooms.size(); ++i) {
    const std::string& room = rooms[i];
    const bool inside =
        file.substr(0, room.size()) == room &&
        (file.size() == room.size() || file[room.size()] == '/' || file[room.size()] == '.');
    if (inside && room.size() > length) best = i, length = room.size();
  }
  return best;
}

/// Included paths of ours: those in quotes, which begin at the root.
std::vector<std::string> includes(const std::string& text) {
  constexpr std::string_view kBegin = "#include \"";
  std::vector<std::string> found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.compare(0, kBegin.size(), kBegin) == 0)
      found.push_back(line.substr(kBegin.size(), line.find('"', kBegin.size()) - kBegin.size()));
  return found;
}

/// "codegen/ir/kernel.h includes runtime/pipeline.h: codegen/ir is below runtime", one a line.
std::string upward(const std::vector<std::string>& rooms, const std::string& file,
                   const std::string& text) {
  const std::size_t from = room_of(rooms, file);
  if (from == rooms.size()) return file + " is in no room of tests/house/rooms.txt\n";
  std::string found;
  for (const std::string& include : includes(text)) {
    const std::size_t to = room_of(rooms, include);
    if (to != rooms.size() && to > from)
      found += file + " includes " + include + ": " + rooms[from] + " is below " + rooms[to] + "\n";
  }
  return found;
}

TEST_CASE("includes go from a room to itself or to those below it") {
  const auto all = rooms();
  REQUIRE(all.size() > 20);
  std::string found;
  std::size_t files = 0;
  for (const char* top : {"lang", "codegen", "runtime"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(GPX_SOURCE_DIR) / top)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".h" && extension != ".cpp" && extension != ".def") continue;
      ++files;
      found += upward(all, fs::relative(entry.path(), GPX_SOURCE_DIR).generic_string(),
                      read(entry.path()));
    }
  }
  CHECK(files > 400);
  CHECK_MESSAGE(found.empty(), found);
}

TEST_CASE("an upward include is named") {
  const std::vector<std::string> all = {"lang", "codegen/ir", "runtime/device", "runtime"};
  CHECK(upward(all, "codegen/ir/kernel.h",
               "#include <vector>\n#include \"lang/expr.h\"\n#include \"runtime/pipeline.h\"\n") ==
        "codegen/ir/kernel.h includes runtime/pipeline.h: codegen/ir is below runtime\n");
  CHECK(upward(all, "runtime/pipeline.h", "#include \"runtime/device/backend.h\"\n").empty());
  CHECK(upward(all, "stray/x.h", "") == "stray/x.h is in no room of tests/house/rooms.txt\n");
}

}  // namespace
