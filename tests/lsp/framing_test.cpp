#include "runtime/lsp/framing.h"

#include <doctest/doctest.h>

#include <vector>

using namespace gpx::lsp;

namespace {

/// All frames of the bytes, fed in pieces of `piece`; an error as "! what".
std::vector<std::string> frames_of(const std::string& bytes, std::size_t piece,
                                   bool* unfinished = nullptr) {
  FrameReader reader;
  std::vector<std::string> found;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    reader.feed(std::string_view(bytes).substr(at, piece));
    while (const auto frame = reader.next())
      found.push_back(frame->error.empty() ? frame->body : "! " + frame->error);
  }
  if (unfinished) *unfinished = reader.unfinished();
  return found;
}

const std::string kBad = "! a header without one Content-Length";

}  // namespace

TEST_CASE("messages come out whole, however the bytes come in") {
  const struct {
    const char* what;
    std::string bytes;
    std::vector<std::string> frames;
    bool unfinished;
  } rows[] = {
      {"one message", "Content-Length: 2\r\n\r\n{}", {"{}"}, false},
      {"two messages", framed("[1]") + framed("é"), {"[1]", "é"}, false},
      {"an empty message", framed(""), {""}, false},
      {"other headers, other case",
       "content-type: x\r\ncontent-LENGTH:3 \r\n\r\nabc",
       {"abc"},
       false},
      {"line ends without \\r", "Content-Length: 3\n\nabc", {"abc"}, false},
      {"empty lines between", framed("a") + "\r\n\r\n" + framed("b"), {"a", "b"}, false},
      {"no length", "Content-Type: x\r\n\r\n" + framed("ok"), {kBad, "ok"}, false},
      {"no number", "Content-Length: 2x\r\n\r\n" + framed("ok"), {kBad, "ok"}, false},
      {"a negative one", "Content-Length: -2\r\n\r\n" + framed("ok"), {kBad, "ok"}, false},
      {"one that no integer holds",
       "Content-Length: 99999999999999999999999\r\n\r\n",
       {kBad},
       false},
      {"two that differ", "Content-Length: 1\r\nContent-Length: 2\r\n\r\n", {kBad}, false},
      {"a header that ends early", "Content-Length: 2\r\n", {}, true},
      {"a message that ends early", "Content-Length: 20\r\n\r\n{}", {}, true},
      {"nothing", "", {}, false},
  };
  for (const auto& row : rows) {
    CAPTURE(row.what);
    for (const std::size_t piece : {1u, 3u, 7u, 1000u}) {
      CAPTURE(piece);
      bool unfinished = false;
      CHECK(frames_of(row.bytes, piece, &unfinished) == row.frames);
      CHECK(unfinished == row.unfinished);
    }
  }
}

TEST_CASE("a message that is too large is skipped, and the next one is read") {
  const std::size_t size = FrameReader::kMostBytes + 1;
  const std::string bytes = framed(std::string(size, 'x')) + framed("ok");
  const auto frames = frames_of(bytes, 1 << 16);
  REQUIRE(frames.size() == 2);
  CHECK(frames[0] == "! a message of 16777217 bytes: at most 16777216 are read");
  CHECK(frames[1] == "ok");
}

TEST_CASE("a header that does not end is dropped") {
  const auto frames = frames_of(std::string(FrameReader::kMostHeader, 'x') + framed("ok"), 1000);
  REQUIRE(frames.size() == 2);
  CHECK(frames[0] == "! a header of more than 8192 bytes");
  CHECK(frames[1] == "ok");
}
