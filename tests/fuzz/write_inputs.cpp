// fuzz_inputs FOLDER: writes for ./dev fuzz, of each target, FOLDER/TARGET/ with the seeds that are
// short enough, FOLDER/TARGET.dict with the words and FOLDER/TARGET.longest with the number of
// bytes.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "inputs.h"

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: fuzz_inputs FOLDER\n");
    return 2;
  }
  const std::filesystem::path folder = arguments[1];
  for (const std::string target :
       {"grammar", "ptx", "device", "store", "lsp", "lua", "report", "kernel", "sass"}) {
    std::filesystem::create_directories(folder / target);
    const std::size_t longest = gpx::fuzz::longest(target);
    std::ofstream(folder / (target + ".longest")) << longest << '\n';
    for (const auto& seed : gpx::fuzz::seeds(target))
      if (seed.bytes.size() <= longest)
        std::ofstream(folder / target / seed.name, std::ios::binary) << seed.bytes;
    std::ofstream dictionary(folder / (target + ".dict"));
    for (const std::string& word : gpx::fuzz::words(target)) {
      dictionary << '"';
      for (const char c : word) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte > 0x7e)
          dictionary << fmt::format("\\x{:02X}", byte);
        else
          dictionary << (c == '"' || c == '\\' ? "\\" : "") << c;
      }
      dictionary << "\"\n";
    }
  }
}
