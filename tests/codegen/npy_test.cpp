// .npy files: what is written is read back, types and sizes are checked.
#include "codegen/user/npy.h"

#include <doctest/doctest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "codegen/user/contents.h"

using namespace gpx::codegen;

TEST_CASE("a header that is written is read, and its numbers begin at a multiple of 64") {
  for (const Element element : {Element::i8, Element::i16, Element::i32, Element::i64, Element::f16,
                                Element::f32, Element::f64})
    for (const bool is_signed : {true, false}) {
      const auto header = npy_header(element, is_signed, 1000);
      REQUIRE(header.has_value());
      CHECK(header->size() % 64 == 0);
      CHECK(npy_data(*header, element) == header->size());
      const bool same_width = element == Element::f32;
      CHECK(npy_data(*header, same_width ? Element::f64 : Element::f32).has_value() == false);
    }
  CHECK(!npy_header(Element::bf16, true, 1));
  CHECK(npy_header(Element::i32, false, 3)->find("'<u4'") != std::string::npos);
  CHECK(npy_header(Element::i32, true, 3)->find("'shape': (3,)") != std::string::npos);
}

TEST_CASE("a reference has no more and no fewer elements than the buffer") {
  const std::string path = (std::filesystem::temp_directory_path() / "gpx-npy-test.npy").string();
  const std::string data(16, '\x01');
  std::ofstream(path, std::ios::binary) << *npy_header(Element::f32, true, 4) << data;
  CHECK(file_words(path, 16, Element::f32, Extra::refused).has_value());
  CHECK(file_words(path, 8, Element::f32).has_value());
  CHECK(file_words(path, 8, Element::f32, Extra::refused).error() ==
        "it has 16 bytes, the buffer 8");
  CHECK(file_words(path, 24, Element::f32, Extra::refused).error() ==
        "it has 16 bytes, the buffer 24");
  CHECK(file_words(path, 16, Element::f64, Extra::refused).error() ==
        "its numbers are <f4, the elements are <f8");
  std::remove(path.c_str());
}
