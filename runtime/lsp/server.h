// The language server: a client's messages in, answers out. JSON-RPC 2.0 as the Language Server
// Protocol 3.17 has it; no input and no output of its own (see serve.h).
//
// Whatever comes, it answers or ignores as the protocol says, and goes on. Covered by
// tests/lsp/server_test.cpp and the sessions in tests/lsp/golden/.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/lsp/library.h"

namespace gpx::lsp {

class Server {
 public:
  explicit Server(Library library);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// The messages that answer this one, most often none or one.
  std::vector<std::string> receive(const std::string& message);
  /// The answer to bytes that are no message (see framing.h).
  std::string refuse(const std::string& what, bool too_large) const;
  /// Call when no message waits: tells what is wrong with each document that changed.
  std::vector<std::string> idle();

  bool ended() const;       ///< The client has sent `exit`.
  int exit_status() const;  ///< 0 where `shutdown` came before.

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace gpx::lsp
