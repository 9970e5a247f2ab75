// Kernels from a file: bytes that a compiler does not take. Interface: codegen/user/user_kernel.h.
// Covered by tests/codegen/host_code_test.cpp.
#include <fmt/format.h>

#include "codegen/user/host_code.h"
#include "codegen/user/user_kernel.h"
#include "lang/utf8.h"

namespace gpx::codegen {

// nvcc takes any bytes in comments and texts. NVRTC and clang read UTF-8, and take what follows
// half a character for a part of it, the end of a comment's line, too.
std::string readable_text(std::string_view bytes) {
  const std::string_view text = without_mark(bytes);
  const std::string code = only_code(text);
  std::string out;
  out.reserve(text.size());
  char quote = 0;  // of the literal that the byte stands in
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '\n') quote = 0;
    if (c == '"') quote = quote == 0 ? c : '\0';
    const std::size_t size = utf8_length(text, i);
    if (c == '\r' && i + 1 < text.size() && text[i + 1] == '\n') {
      ++i;
    } else if (size == 0 && code[i] == ' ') {
      const auto byte = static_cast<unsigned char>(c);
      out += quote != 0 ? fmt::format("\\{:03o}", byte) : "?";
      ++i;
    } else {
      out.append(text, i, size == 0 ? 1 : size);
      i += size == 0 ? 1 : size;
    }
  }
  return out;
}

}  // namespace gpx::codegen
