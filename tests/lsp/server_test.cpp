// Sessions: tests/lsp/golden/NAME.session holds a client's messages, one a line, and behind each
// "# " the server's answers. GPX_REBASE=1 writes the answers anew; a person reads the difference.
#include "runtime/lsp/server.h"

#include <filesystem>
#include <fstream>

#include "support.h"
#include "tests/golden.h"

using namespace gpx;
using namespace gpx::lsp;
namespace fs = std::filesystem;

namespace {

const fs::path golden = fs::path(GPX_TESTS_DIR) / "lsp/golden";

std::vector<std::string> lines_of(const fs::path& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

/// The session with the answers that the server gives now.
std::vector<std::string> replay(const std::vector<std::string>& lines) {
  Server server(small_library());
  std::vector<std::string> out;
  for (const std::string& line : lines) {
    if (line.starts_with("# ")) continue;
    out.push_back(line);
    if (line.empty() || line.starts_with("##")) continue;
    for (const std::string& answer : server.receive(line)) out.push_back("# " + answer);
    for (const std::string& answer : server.idle()) out.push_back("# " + answer);
  }
  return out;
}

}  // namespace

TEST_CASE("sessions go as written down") {
  std::size_t sessions = 0;
  for (const auto& entry : fs::directory_iterator(golden)) {
    CAPTURE(entry.path().filename().string());
    const auto lines = lines_of(entry.path());
    const auto now = replay(lines);
    if (gpx::test::rebasing()) {
      std::ofstream file(entry.path());
      for (const std::string& line : now) file << line << '\n';
    }
    CHECK(lines_of(entry.path()) == now);
    ++sessions;
  }
  CHECK(sessions >= 6);
}

TEST_CASE("the exit status says whether shutdown came before exit") {
  const std::string initialize = R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{}})";
  const std::string shutdown = R"({"jsonrpc":"2.0","id":2,"method":"shutdown"})";
  const std::string exit = R"({"jsonrpc":"2.0","method":"exit"})";
  Server polite(small_library());
  polite.receive(initialize);
  polite.receive(shutdown);
  CHECK_FALSE(polite.ended());
  CHECK(polite.receive(exit).empty());
  CHECK(polite.ended());
  CHECK(polite.exit_status() == 0);
  Server rude(small_library());
  rude.receive(exit);
  CHECK(rude.ended());
  CHECK(rude.exit_status() == 1);
}

TEST_CASE("problems are told once for many changes, when nothing else waits") {
  Server server(small_library());
  server.receive(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{}})");
  server.receive(
      R"({"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"u","text":""}}})");
  for (const char* text : {"s", "sw", "swe"})
    CHECK(server
              .receive(std::string(R"({"jsonrpc":"2.0","method":"textDocument/didChange","params":)"
                                   R"({"textDocument":{"uri":"u"},"contentChanges":[{"text":")") +
                       text + R"("}]}})")
              .empty());
  CHECK(server.idle().size() == 1);
  CHECK(server.idle().empty());
}

TEST_CASE("a message nested a hundred thousand deep is no recursion") {
  Server server(small_library());
  const std::string deep = R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":)" +
                           std::string(100000, '[') + std::string(100000, ']') + "}";
  CHECK(server.receive(deep).size() == 1);
  CHECK(server.receive(std::string(100000, '[')).size() == 1);
}
