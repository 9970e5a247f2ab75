// Damaged PTX: whatever a text holds, the parser gives a module or an error with a place.
#include "exec_support.h"

using namespace gpx::vgpu;
using namespace gpx::vgpu::exec;
namespace ptx = gpx::ptx;

namespace {

/// What still parses is also executed, over random parameters, for a few instructions.
void execute(const ptx::Module& module) {
  for (const ptx::Function& entry : module.functions) {
    if (!entry.is_entry) continue;
    GlobalMemory memory;
    std::vector<std::uint8_t> parameters(64, 1);
    std::uint64_t address = memory.allocate(4096, nullptr);
    std::memcpy(parameters.data(), &address, 8);
    Executor executor(module, entry, grid_of(1, 40, 64), parameters, memory);
    auto report = exec::run(executor, {.warp_instructions = 500});
    if (!report) CHECK_FALSE(report.error().message.empty());
  }
}

void parse_damaged(const std::string& text) {
  auto module = ptx::parse("ptx", text);
  if (module) return execute(*module);
  const auto& error = module.error().diagnostics.at(0);
  CHECK_FALSE(error.message.empty());
  REQUIRE(error.location);
  CHECK(error.location->line >= 1);
}

std::string small() {
  // Declarations, functions and two kernels are enough; the whole text is large.
  std::string text = read_text(GPX_TESTS_DIR "/vgpu/ptx/kernels.ptx");
  std::size_t first = text.find(".visible .entry"), scan = text.find(".visible .entry scan"),
              bitonic = text.find(".visible .entry bitonic"),
              calls = text.find(".visible .entry calls"),
              switches = text.find(".visible .entry switches");
  return text.substr(0, first) + text.substr(scan, bitonic - scan) +
         text.substr(calls, switches - calls);
}

}  // namespace

TEST_CASE("the undamaged text parses") {
  parse_or_fail(small());
}

TEST_CASE("a truncated text is an error or a module, never a crash") {
  std::string text = small();
  for (std::size_t n = 0; n < text.size(); n += 3) parse_damaged(text.substr(0, n));
}

TEST_CASE("flipped, removed and doubled bytes are an error or a module, never a crash") {
  std::string text = small();
  Numbers random(20);
  for (int round = 0; round < 4000; ++round) {
    std::string damaged = text;
    for (int k = 0; k < 1 + round % 3; ++k) {
      std::size_t at = random() % damaged.size();
      switch (random() % 4) {
        case 0: damaged[at] = static_cast<char>(random()); break;
        case 1: damaged[at] ^= static_cast<char>(1 << random() % 7); break;
        case 2: damaged.erase(at, random() % 8); break;
        default: damaged.insert(at, damaged.substr(random() % damaged.size(), random() % 30));
      }
    }
    parse_damaged(damaged);
  }
}

TEST_CASE("nesting a hundred thousand deep is no recursion") {
  std::string braces(100000, '{');
  parse_damaged(".entry k() " + braces);
  parse_damaged(".global .b8 x[] = " + braces);
  parse_damaged(".entry k() { .reg .b32 r; mov.b32 r, " + std::string(100000, '-') + "1; }");
  parse_damaged(".section .debug " + braces);
}
