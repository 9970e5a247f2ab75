// The real process over pipes, as an editor starts it.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string>
#include <vector>

#include "runtime/lsp/framing.h"

using namespace gpx::lsp;

namespace {

class Process {
 public:
  Process() {
    std::array<int, 2> in{}, out{};
    REQUIRE(::pipe(in.data()) == 0);
    REQUIRE(::pipe(out.data()) == 0);
    child_ = ::fork();
    REQUIRE(child_ >= 0);
    if (child_ == 0) {
      ::dup2(in[0], STDIN_FILENO);
      ::dup2(out[1], STDOUT_FILENO);
      for (int one : {in[0], in[1], out[0], out[1]}) ::close(one);
      ::alarm(60);  // Whatever happens, the test ends.
      ::execl(GPX_PROGRAM, GPX_PROGRAM, "lsp", nullptr);
      ::_exit(127);
    }
    ::close(in[0]);
    ::close(out[1]);
    to_ = in[1];
    from_ = out[0];
  }
  ~Process() {
    if (to_ >= 0) ::close(to_);
    ::close(from_);
  }

  void send(const std::string& bytes) {
    REQUIRE(::write(to_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  }
  /// The next message; "" where the process has closed its output.
  std::string receive() {
    for (;;) {
      if (const auto frame = frames_.next()) return frame->body;
      std::array<char, 4096> buffer;
      const ssize_t got = ::read(from_, buffer.data(), buffer.size());
      if (got <= 0) return "";
      frames_.feed({buffer.data(), static_cast<std::size_t>(got)});
    }
  }
  void hang_up() {
    ::close(to_);
    to_ = -1;
  }
  int status() {
    int status = 0;
    REQUIRE(::waitpid(child_, &status, 0) == child_);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t child_ = -1;
  int to_ = -1, from_ = -1;
  FrameReader frames_;
};

bool has(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

const std::string kInitialize =
    framed(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}})");

}  // namespace

TEST_CASE("an editor starts gpx lsp, sees a mistake while typing, mends it, and leaves") {
  Process gpx;
  gpx.send(kInitialize);
  CHECK(has(gpx.receive(), R"("id":1,"result":{"capabilities")"));
  gpx.send(framed(R"({"jsonrpc":"2.0","method":"initialized","params":{}})"));
  gpx.send(framed(
      R"({"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///tmp/a.gpx","languageId":"gpx","version":1,"text":"sweep n 1..3 < load uniqe(128B) x n >\n"}}})"));
  CHECK(has(gpx.receive(), "did you mean 'unique'?"));
  gpx.send(framed(
      R"({"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///tmp/a.gpx","version":2},"contentChanges":[{"range":{"start":{"line":0,"character":24},"end":{"line":0,"character":24}},"text":"u"}]}})"));
  CHECK(has(gpx.receive(), R"("version":2,"diagnostics":[])"));
  gpx.send(framed(
      R"({"jsonrpc":"2.0","id":2,"method":"textDocument/definition","params":{"textDocument":{"uri":"file:///tmp/a.gpx"},"position":{"line":0,"character":35}}})"));
  CHECK(has(gpx.receive(), R"("start":{"line":0,"character":6})"));
  gpx.send(framed(R"({"jsonrpc":"2.0","id":3,"method":"shutdown"})"));
  CHECK(has(gpx.receive(), R"("id":3,"result":null)"));
  gpx.send(framed(R"({"jsonrpc":"2.0","method":"exit"})"));
  CHECK(gpx.receive() == "");
  CHECK(gpx.status() == 0);
}

TEST_CASE("what is no message is answered, and the session goes on") {
  Process gpx;
  gpx.send("Content-Type: x\r\n\r\n");
  CHECK(has(gpx.receive(), "-32700"));
  gpx.send(framed("{"));
  CHECK(has(gpx.receive(), "-32700"));
  gpx.send(framed(R"({"jsonrpc":"2.0","id":1,"method":"shutdown"})"));
  CHECK(has(gpx.receive(), "-32002"));
  gpx.send(kInitialize);
  CHECK(has(gpx.receive(), "capabilities"));
  gpx.send("Content-Length: 99999999\r\n\r\n");
  CHECK(has(gpx.receive(), "-32600"));
}

TEST_CASE("a client that goes away in the middle of a message ends the process") {
  Process gpx;
  gpx.send(kInitialize);
  CHECK(has(gpx.receive(), "capabilities"));
  gpx.send("Content-Length: 100\r\n\r\n{\"half\":");
  gpx.hang_up();
  CHECK(gpx.receive() == "");
  CHECK(gpx.status() == 1);
}
