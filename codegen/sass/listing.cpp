// Listings. Interface: codegen/sass/listing.h.
#include "codegen/sass/listing.h"

#include <fmt/format.h>

#include <iterator>

#include "codegen/sass/instruction.h"

namespace gpx::codegen::sass {

std::string listing(std::span<const std::uint8_t> code, int sm) {
  std::string out;
  std::size_t address = 0;
  for (const Instruction& instruction : decode_function(code, sm)) {
    fmt::format_to(std::back_inserter(out), "/*{:04x}*/ {} ;\n", address, instruction.text());
    address += kWordBytes;
  }
  return out;
}

}  // namespace gpx::codegen::sass
