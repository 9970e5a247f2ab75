// Compares gpx's reader of machine code with the toolkit's, on what cuobjdump -sass prints.
//   cuobjdump -sass FILE | sass_corpus LIMIT SAMPLES     stops after LIMIT instructions
// Prints lines and equal lines by architecture, then what differs most, and writes to the file
// SAMPLES some words of each kind with their text, as tests/data/sass/words.txt has them.
// Build: g++ -std=c++20 -O2 -I. tests/gpu/sass_corpus.cpp codegen/sass/*.cpp -lfmt
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "codegen/sass/instruction.h"

namespace {

using gpx::codegen::sass::decode;
using gpx::codegen::sass::Word;

struct Count {
  long lines = 0, same = 0;
};
struct Difference {
  long count = 0;
  std::vector<std::string> examples;
};

std::string trimmed(std::string text) {
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

/// The opcode with its modifiers: "@P0 LDG.E R2, ..." is "LDG.E".
std::string mnemonic(const std::string& text) {
  const std::size_t begin = text[0] == '@' ? text.find(' ') + 1 : 0;
  return text.substr(begin, text.find(' ', begin) - begin);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const long limit = std::atol(argv[1]);
  std::ofstream samples(argv[2]);
  std::map<std::string, Count> counts;
  std::map<std::string, Difference> differences;
  std::map<std::string, int> kept;
  std::string arch, text, lo;
  unsigned long address = 0;
  long total = 0;
  for (std::string line; total < limit && std::getline(std::cin, line);) {
    if (const std::size_t at = line.find("arch = sm_"); at != std::string::npos)
      arch = line.substr(at + 10);
    const std::size_t mark = line.find("/* 0x");
    if (mark == std::string::npos) continue;
    const std::string hex = line.substr(mark + 3, 18);
    const std::size_t semicolon = line.rfind(';', mark);
    if (semicolon != std::string::npos) {
      const std::size_t open = line.find("/*"), close = line.find("*/");
      address = std::strtoul(line.c_str() + open + 2, nullptr, 16);
      text = line.substr(close + 2, semicolon - close - 2);
      text.erase(0, text.find_first_not_of(' '));
      text = trimmed(text);
      lo = hex;
      continue;
    }
    if (text.empty()) continue;
    const Word word{std::strtoull(lo.c_str(), nullptr, 16),
                    std::strtoull(hex.c_str(), nullptr, 16)};
    const std::string got = trimmed(decode(word, std::atoi(arch.c_str()), address).text());
    Count& count = counts[arch];
    ++count.lines;
    ++total;
    const bool same = got == text;
    count.same += same;
    char row[512];
    std::snprintf(row, sizeof row, "%s %s %s %lx %s", arch.c_str(), lo.c_str() + 2, hex.c_str() + 2,
                  address, text.c_str());
    const std::string key = arch + " " + lo.substr(15) + " " + mnemonic(text);
    if (kept[key]++ < (same ? 2 : 12)) samples << row << '\n';
    if (!same) {
      Difference& difference = differences[key];
      ++difference.count;
      if (difference.examples.size() < 2)
        difference.examples.push_back(std::string(row) + "   GOT " + got);
    }
    text.clear();
  }
  for (const auto& [name, count] : counts)
    std::printf("sm_%s: %ld of %ld lines are the same (%.4f %%)\n", name.c_str(), count.same,
                count.lines,
                100.0 * static_cast<double>(count.same) / static_cast<double>(count.lines));
  std::vector<std::pair<long, std::string>> order;
  for (const auto& [key, difference] : differences) order.emplace_back(difference.count, key);
  std::sort(order.rbegin(), order.rend());
  for (const auto& [count, key] : order) {
    std::printf("%ld %s\n", count, key.c_str());
    for (const std::string& example : differences[key].examples)
      std::printf("    %s\n", example.c_str());
  }
}
