// Guard: which requests are served at all. Covered by tests/serve/guard_test.cpp and
// tests/serve/serve_test.py; the threats are listed in SECURITY.md.
#pragma once

#include <optional>
#include <string>

#include "runtime/serve/http.h"

namespace gpx::serve {

/// 32 hex digits that nobody can guess.
std::string new_token();

class Guard {
 public:
  /// `address` is listened on; requests must name it, or localhost where it is a loopback address.
  Guard(std::string token, std::string address, std::uint16_t port);

  const std::string& token() const { return token_; }
  /// "http://127.0.0.1:4750/?token=..."
  std::string url() const;

  /// What a request gets instead of an answer: a foreign Host (a name that was rebound to this
  /// machine), a foreign Origin (another page), no token; a POST that no form could refuse to make.
  /// `GET /?token=T` with the right one is redirected to `/` with a cookie.
  std::optional<Response> refusal(const Request& request) const;

 private:
  bool is_own(const std::string& host) const;
  bool has_token(const Request& request) const;
  std::string cookie_name() const;

  std::string token_, address_;
  std::uint16_t port_;
};

/// A path of the page's messages as a file below `folder`: relative, without `..`, not through a
/// link that leaves the folder. Errors (Fault::input): any other.
Result<std::string> path_inside(const std::string& folder, const std::string& path);

/// Header fields of every response. `nonce` allows the styles of the editor.
std::vector<std::pair<std::string, std::string>> security_headers(const std::string& nonce);

}  // namespace gpx::serve
