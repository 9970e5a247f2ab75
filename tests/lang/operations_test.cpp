// The sources that a chain of an operation can run through: lang/operations.h.
#include "lang/operations.h"

#include <doctest/doctest.h>

using namespace gpx;

namespace {

std::string letters(std::string_view operation) {
  std::string made;
  for (const ChainSource& each : chain_sources(operation)) made += each.letter;
  return made;
}

std::string ptx(std::string_view operation, std::string_view letter) {
  const ChainSource* found = find_chain_source(operation, letter);
  return found ? found->ptx : std::string();
}

}  // namespace

TEST_CASE("sources follow from the row's PTX, or from a row of their own") {
  struct Row {
    const char* operation;
    const char* letters;
  };
  const Row rows[] = {{"fma.rn.f32", "abc"}, {"add.u32", "ab"},    {"popc.b32", "a"},
                      {"bfi.b32", "abcd"},   {"selp.b32", "ab"},   {"mad.wide.u32", "abc"},
                      {"div.rn.f32", "b"},   {"shl.one.b32", "a"}, {"setp.u32", ""},
                      {"bar.sync", ""},      {"nothing", ""},      {"atom.shared.add.u32", ""}};
  for (const Row& row : rows) {
    CAPTURE(row.operation);
    CHECK(letters(row.operation) == row.letters);
  }
}

TEST_CASE("the chain's register and the source change places") {
  CHECK(ptx("fma.rn.f32", "c") == "fma.rn.f32 {r}, {y}, {x}, {r};");
  CHECK(ptx("add.u32", "b") == "@{g} add.u32 {r}, {x}, {r};");
  CHECK(ptx("div.u32", "a") == "div.u32 {r}, {r}, {x};");
  CHECK(ptx("mad.lo.u32", "c") == "@{g} mad.lo.u32 {r}, {y}, {x}, {r};");
  CHECK(find_chain_source("fma.rn.f32", "a")->is_default);
  CHECK(find_chain_source("div.u32", "b")->is_default);
  CHECK(find_chain_source("fma.rn.f32", "d") == nullptr);
  CHECK(find_chain_source("fma.rn.f32", "") == nullptr);
  CHECK(find_chain_source("fma.rn.f32", "ab") == nullptr);
}
