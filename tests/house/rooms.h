// The rooms of the source as rooms.txt lists them, and which include which. Covered by
// tests/house/includes_test.cpp.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace gpx::house {

struct Room {
  std::string path;   ///< "codegen/ir"
  std::string holds;  ///< "kernel IR and program: the input of every later stage"
};

inline std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// Lowest first.
inline std::vector<Room> rooms() {
  std::vector<Room> rooms;
  for (const std::string& line : lines_of(read(GPX_TESTS_DIR "/house/rooms.txt"))) {
    if (line.empty() || line[0] == '#') continue;
    const std::size_t end = line.find(' ');
    rooms.push_back({line.substr(0, end), line.substr(line.find_first_not_of(' ', end))});
  }
  return rooms;
}

/// Index of the room with the longest path that begins `file`; rooms.size() where there is none.
inline std::size_t room_of(const std::vector<Room>& rooms, std::string_view file) {
  std::size_t best = rooms.size(), length = 0;
  for (std::size_t i = 0; i < rooms.size(); ++i) {
    const std::string& room = rooms[i].path;
    const bool inside =
        file.substr(0, room.size()) == room &&
        (file.size() == room.size() || file[room.size()] == '/' || file[room.size()] == '.');
    if (inside && room.size() > length) best = i, length = room.size();
  }
  return best;
}

/// Included paths of ours: those in quotes, which begin at the root.
inline std::vector<std::string> includes(const std::string& text) {
  constexpr std::string_view kBegin = "#include \"";
  std::vector<std::string> found;
  for (const std::string& line : lines_of(text))
    if (line.starts_with(kBegin))
      found.push_back(line.substr(kBegin.size(), line.find('"', kBegin.size()) - kBegin.size()));
  return found;
}

/// Files under `top` (from the root) with one of the extensions, in order.
inline std::vector<std::string> files_under(const std::string& top,
                                            const std::set<std::string>& extensions) {
  std::set<std::string> files;
  const std::filesystem::path root = GPX_SOURCE_DIR;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root / top))
    if (entry.is_regular_file() && extensions.contains(entry.path().extension().string()))
      files.insert(std::filesystem::relative(entry.path(), root).generic_string());
  return {files.begin(), files.end()};
}

/// The C++ of all rooms.
inline std::vector<std::string> sources() {
  std::vector<std::string> all;
  for (const char* top : {"lang", "codegen", "runtime"})
    for (std::string& file : files_under(top, {".h", ".cpp", ".def"})) all.push_back(file);
  return all;
}

inline std::vector<std::string> documents() {
  std::vector<std::string> all = files_under("docs", {".md"});
  for (const char* file : {"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"})
    all.push_back(file);
  return all;
}

/// For each room the rooms that its files include, itself not among them.
inline std::map<std::size_t, std::set<std::size_t>> arrows(const std::vector<Room>& rooms) {
  std::map<std::size_t, std::set<std::size_t>> arrows;
  for (const std::string& file : sources()) {
    const std::size_t from = room_of(rooms, file);
    for (const std::string& include : includes(read(GPX_SOURCE_DIR "/" + file))) {
      const std::size_t to = room_of(rooms, include);
      if (to != rooms.size() && to != from) arrows[from].insert(to);
    }
  }
  return arrows;
}

}  // namespace gpx::house
