// Any bytes as what a language client sends: once as frames, once line by line as messages, so that
// a damaged length does not end each input at its first byte. Answers are JSON-RPC, and none holds
// more than its question deserves.
#include <nlohmann/json.hpp>

#include "runtime/lsp/framing.h"
#include "runtime/lsp/server.h"
#include "targets.h"

namespace gpx::fuzz {
namespace {

constexpr int kMessages = 40;  ///< Of one input.

/// Nothing is read from the disk: hover and completion have something to say all the same.
lsp::Library small_library() {
  lsp::Library library;
  library.devices = {{"k20", "/nowhere/k20.lua", "a device"}};
  library.analyses = {read_head("outstanding", "/nowhere/outstanding.lua",
                                "-- outstanding(x = threads, loads = n): what limits.\n")};
  return library;
}

std::string check_answer(const std::string& answer) {
  const auto json = nlohmann::json::parse(answer, nullptr, false);
  if (json.is_discarded()) return "an answer is not JSON: " + answer;
  const bool answers = json.contains("id") && (json.contains("result") != json.contains("error"));
  const bool tells = json.contains("method") && json.contains("params");
  return answers || tells ? "" : "an answer is not JSON-RPC: " + answer;
}

std::string check_answers(const std::vector<std::string>& answers) {
  for (const std::string& answer : answers)
    if (std::string wrong = check_answer(answer); !wrong.empty()) return wrong;
  return "";
}

/// Ready for requests, whatever the input holds.
void greet(lsp::Server& server) {
  server.receive(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{}})");
}

std::string framed(const std::string& input) {
  lsp::Server server(small_library());
  lsp::FrameReader frames;
  // Each piece lets a header that is not whole be read again: later ones are longer.
  for (std::size_t at = 0, piece = 0; at < input.size(); at += piece) {
    piece = at < 512 ? 7 : 97;
    frames.feed(std::string_view(input).substr(at, piece));
    while (const auto frame = frames.next()) {
      const auto answers = frame->error.empty()
                               ? server.receive(frame->body)
                               : std::vector{server.refuse(frame->error, frame->too_large)};
      if (std::string wrong = check_answers(answers); !wrong.empty()) return wrong;
    }
  }
  return check_answers(server.idle());
}

std::string by_line(const std::string& input) {
  lsp::Server server(small_library());
  greet(server);
  std::size_t at = 0;
  for (int i = 0; i < kMessages && at < input.size(); ++i) {
    const std::size_t end = std::min(input.find('\n', at), input.size());
    if (std::string wrong = check_answers(server.receive(input.substr(at, end - at)));
        !wrong.empty())
      return wrong;
    if (std::string wrong = check_answers(server.idle()); !wrong.empty()) return wrong;
    at = end + 1;
  }
  return "";
}

}  // namespace

std::string lsp(const std::string& input) {
  std::string wrong = by_line(input);
  return wrong.empty() ? framed(input) : wrong;
}

}  // namespace gpx::fuzz
