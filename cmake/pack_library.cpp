// pack_library OUT ROOT FOLDER...: the regular files of ROOT's folders, sorted, as one text under
// zstd, written as C++ (codegen/files/embedded.h). Run by the build where one of them changes
// (cmake/embedded_library.cmake). Covered by tests/codegen/files_test.cpp.
#include <zstd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

namespace fs = std::filesystem;

namespace {

constexpr int kLevel = 19;

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string joined(const fs::path& root, const std::vector<std::string>& folders) {
  std::vector<std::string> names;
  for (const std::string& folder : folders)
    for (const auto& entry : fs::recursive_directory_iterator(root / folder))
      if (entry.is_regular_file()) names.push_back(entry.path().lexically_relative(root).string());
  std::sort(names.begin(), names.end());
  std::string all;
  for (const std::string& name : names) {
    const std::string text = text_of(root / name);
    all.append(name).push_back('\0');
    all.append(std::to_string(text.size())).push_back('\0');
    all.append(text);
  }
  return all;
}

/// A literal that no digit behind an escape can lengthen: each byte is three octal digits.
void write_literal(std::ostream& out, const std::string& bytes) {
  constexpr std::size_t kLine = 32;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    char escape[5];
    std::snprintf(escape, sizeof escape, "\\%03o", static_cast<unsigned char>(bytes[i]));
    out << (i % kLine == 0 ? "\n    \"" : "") << escape
        << (i % kLine == kLine - 1 || i + 1 == bytes.size() ? "\"" : "");
  }
}

}  // namespace

int main(int count, char** words) {
  if (count < 4) return 2;
  const std::string all = joined(words[2], {words + 3, words + count});
  std::string packed(ZSTD_compressBound(all.size()), '\0');
  const std::size_t size =
      ZSTD_compress(packed.data(), packed.size(), all.data(), all.size(), kLevel);
  if (ZSTD_isError(size)) {
    std::cerr << "pack_library: " << ZSTD_getErrorName(size) << '\n';
    return 1;
  }
  packed.resize(size);
  std::ofstream out(words[1]);
  out << "#include \"codegen/files/embedded.h\"\n\nnamespace gpx::embedded {\n\n"
      << "const std::size_t kUnpackedBytes = " << all.size() << ";\n"
      << "const std::string_view kPacked(";
  write_literal(out, packed);
  out << ",\n    " << packed.size() << ");\n\n}  // namespace gpx::embedded\n";
  return out.good() ? 0 : 1;
}
