// The code of access patterns: codegen/lower/patterns.h.
#include "codegen/lower/patterns.h"

#include <algorithm>

#include "support.h"

namespace gpx::codegen::test {
namespace {

TEST_CASE("every pattern of the language has its row of code") {
  for (const PatternRow& row : kPatterns)
    CHECK(pattern_code(row.name).name == std::string(row.name));
}

TEST_CASE("the scalars of a pattern are parameters of its kernel, in their order") {
  for (const PatternRow& row : kPatterns) {
    CAPTURE(row.name);
    std::string args;
    for (std::size_t i = 0; i < row.most(); ++i)
      args += std::string(i ? ", " : "") +
              (row.arguments[i].rule.unit == Unit::byte ? "n * 128B" : "n");
    const Program program =
        program_of("sweep n 1..2 threads 64 < load " + std::string(row.name) + "(" + args + ") >");
    std::vector<std::string> names = {"never"};
    for (const PatternScalar& scalar : pattern_code(row.name).scalars) names.push_back(scalar.name);
    CHECK(program.kernels.front().scalars() == names);
    CHECK(program.launches.front().scalars.size() == names.size());
  }
}

}  // namespace
}  // namespace gpx::codegen::test
