// The order in which a chase visits its array. Interface: program.h. Covered by
// tests/runtime/cuda_buffers_test.cpp.
#include <random>
#include <utility>

#include "codegen/program.h"

namespace gpx::codegen {
namespace {

std::vector<std::uint64_t> strided(const ChaseContents& contents) {
  const std::uint64_t stride = std::max<std::uint64_t>(contents.args.at(0), 1);
  std::vector<std::uint64_t> visit = {0};
  for (std::uint64_t at = stride; at + contents.width <= contents.bytes; at += stride)
    visit.push_back(at);
  return visit;
}

/// A shuffle of the elements but the first: visited one after another they are one cycle.
std::vector<std::uint64_t> shuffled(const ChaseContents& contents) {
  std::vector<std::uint64_t> visit = strided(contents);
  std::mt19937_64 random(contents.args.size() > 1 ? contents.args[1] : 0);
  for (std::size_t i = visit.size(); i > 2; --i)
    std::swap(visit[i - 1], visit[1 + random() % (i - 1)]);
  return visit;
}

std::vector<std::uint64_t> stepped(const ChaseContents& contents) {
  std::vector<std::uint64_t> visit = {0};
  for (std::size_t i = 0; i + 1 < contents.args.size(); i += 2)
    for (std::uint64_t n = 0; n < contents.args[i]; ++n)
      visit.push_back(visit.back() + contents.args[i + 1]);
  return visit;
}

}  // namespace

std::vector<std::uint64_t> visit_order(const ChaseContents& contents) {
  switch (contents.kind) {
    case Array::Layout::Kind::random:
      return shuffled(contents);
    case Array::Layout::Kind::list:
      return contents.args;
    case Array::Layout::Kind::steps:
      return stepped(contents);
    default:
      return strided(contents);
  }
}

}  // namespace gpx::codegen
