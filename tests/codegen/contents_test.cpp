// Contents of buffers: files, and one random cycle.
#include "codegen/user/contents.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

using namespace gpx::codegen;

namespace {

/// A file that is gone after the test.
class TemporaryFile {
 public:
  TemporaryFile(const std::string& ending, const std::string& text)
      : path_((std::filesystem::temp_directory_path() /
               ("gpx-contents-" + std::to_string(::getpid()) + ending))
                  .string()) {
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Format 1.0, as numpy.save writes it.
std::string npy(const std::string& type, const std::string& order, const std::string& data) {
  std::string header = "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': (2,), }";
  header.resize(117, ' ');
  header += '\n';
  return std::string("\x93NUMPY\x01\x00", 8) + std::string(1, static_cast<char>(header.size())) +
         std::string(1, '\0') + header + data;
}

}  // namespace

TEST_CASE("a cycle visits every element once and comes back, whatever their number") {
  for (const std::uint64_t count : {1u, 2u, 3u, 5u, 31u, 64u, 1000u, 4096u, 5000u}) {
    for (const std::uint64_t seed : {0u, 1u, 7u}) {
      std::set<std::uint64_t> seen;
      std::uint64_t at = 0;
      for (std::uint64_t step = 0; step < count; ++step) {
        CHECK(at < count);
        seen.insert(at);
        at = next_on_cycle(at, count, seed);
      }
      CHECK(at == 0);
      CHECK(seen.size() == count);
    }
  }
  CHECK(next_on_cycle(0, 1000, 1) != next_on_cycle(0, 1000, 2));
}

TEST_CASE("neighbours of a cycle are no neighbours in memory") {
  std::size_t near = 0;
  for (std::uint64_t i = 0; i < 4096; ++i) {
    const auto next = static_cast<std::int64_t>(next_on_cycle(i, 4096, 1));
    near += std::abs(next - static_cast<std::int64_t>(i)) < 32;
  }
  CHECK(near < 4096 / 16);
}

TEST_CASE("a buffer of a permutation holds the next indices") {
  BufferFill fill;
  fill.kind = gpx::BufferContents::Kind::permutation;
  fill.bytes = 400;
  fill.first = 3;
  std::uint32_t elements[100];
  fill.write(0, 400, reinterpret_cast<std::uint8_t*>(elements));
  for (std::uint64_t i = 0; i < 100; ++i) CHECK(elements[i] == next_on_cycle(i, 100, 3));
}

TEST_CASE("raw files are taken as they are, and must be long enough") {
  const TemporaryFile raw(".raw", "0123456789");
  const auto words = file_words(raw.path(), 10, Element::i8);
  REQUIRE(words);
  CHECK(std::memcmp(words->data(), "0123456789", 10) == 0);
  CHECK(file_words(raw.path(), 11, Element::i8).error() == "it has 10 bytes, the buffer 11");
  CHECK(file_words("no/such/file", 1, Element::i8).error() ==
        "it cannot be read: No such file or directory");
  CHECK_FALSE(file_words(raw.path(), kMostFileBytes + 1, Element::i8));
}

TEST_CASE("numbers of NumPy must be of the pointer's type and in C order") {
  const std::string data("\x00\x00\x80\x3f\x00\x00\x00\x40", 8);  // 1, 2
  const TemporaryFile good(".npy", npy("<f4", "False", data));
  const auto words = file_words(good.path(), 8, Element::f32);
  REQUIRE_MESSAGE(words, (words ? "" : words.error()));
  CHECK(std::memcmp(words->data(), data.data(), 8) == 0);
  CHECK(file_words(good.path(), 8, Element::i32).error().find("its numbers are <f4") == 0);
  CHECK_FALSE(file_words(good.path(), 16, Element::f32));
  const TemporaryFile half(".npy", npy("<f2", "False", data));
  CHECK(file_words(half.path(), 8, Element::f16));
  CHECK(file_words(half.path(), 8, Element::i16).error() ==
        "its numbers are <f2, the elements are <i2 <u2");
  CHECK(file_words(half.path(), 8, Element::bf16).error().find("NumPy has no type of bf16") == 0);
  const TemporaryFile fortran(".npy", npy("<f4", "True", data));
  CHECK(file_words(fortran.path(), 8, Element::f32).error() == "it is in Fortran order");
  const TemporaryFile none(".npy", "text");
  CHECK(file_words(none.path(), 1, Element::f32).error() == "it is no .npy file");
}
