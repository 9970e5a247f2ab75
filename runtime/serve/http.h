// HTTP: requests of a browser or an editor in, responses out. Boost.Beast stays inside http.cpp.
//
// One thread serves one connection. Headers, bodies, the time that a request may take to arrive and
// the number of connections are limited, so that a peer without a token takes little.
// Covered by tests/serve/serve_test.py.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lang/diagnostic.h"

namespace gpx::serve {

struct Request {
  std::string method;  ///< "GET", "POST"; others are refused before a handler sees them.
  std::string path;    ///< Decoded, without the query.
  std::map<std::string, std::string> query;
  std::string host, origin, cookie, authorization, content_type;
  std::string body;
};

struct Response {
  int status = 200;
  std::string type = "application/json";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers = {};
};

struct HttpLimits {
  std::size_t header_bytes = 16u << 10;
  std::size_t body_bytes = 4u << 20;
  std::size_t connections = 64;
  int arrival_s = 10;  ///< A request, from its first byte to its last.
  int idle_s = 60;     ///< A connection without a request.
};

class HttpServer {
 public:
  using Handler = std::function<Response(const Request&)>;

  HttpServer();
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  /// `port` 0: any that is free. Errors (Fault::device): an address that is none, or is in use.
  Result<std::uint16_t> listen(const std::string& address, std::uint16_t port);
  /// Until stop() or `stopped` is true. `handler` is called by several threads.
  void serve(const Handler& handler, const HttpLimits& limits, const std::atomic<bool>& stopped);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gpx::serve
