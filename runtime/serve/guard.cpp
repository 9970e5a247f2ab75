// Interface: guard.h.
#include "runtime/serve/guard.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <stdexcept>

namespace gpx::serve {
namespace {

namespace fs = std::filesystem;

/// Takes as long for any wrong text of the same length.
bool same_secret(std::string_view given, std::string_view secret) {
  if (given.size() != secret.size()) return false;
  unsigned char differs = 0;
  for (std::size_t i = 0; i < secret.size(); ++i)
    differs |= static_cast<unsigned char>(given[i] ^ secret[i]);
  return differs == 0;
}

bool is_loopback(const std::string& address) {
  return address == "::1" || address.starts_with("127.");
}

std::string in_url(const std::string& address) {
  return address.find(':') == std::string::npos ? address : '[' + address + ']';
}

/// The values of one cookie; a browser may send several of a name.
bool cookie_has(std::string_view cookies, std::string_view name, std::string_view secret) {
  while (!cookies.empty()) {
    std::string_view one = cookies.substr(0, cookies.find(';'));
    cookies.remove_prefix(std::min(one.size() + 1, cookies.size()));
    one.remove_prefix(std::min(one.find_first_not_of(' '), one.size()));
    if (one.size() > name.size() && one.starts_with(name) && one[name.size()] == '=' &&
        same_secret(one.substr(name.size() + 1), secret))
      return true;
  }
  return false;
}

Response refused(int status, std::string why) {
  return {status, "text/plain; charset=utf-8", std::move(why) + "\n"};
}

}  // namespace

std::string new_token() {
  std::array<unsigned char, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw std::runtime_error("the system has no random bytes");
  std::string text;
  for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

Guard::Guard(std::string token, std::string address, std::uint16_t port)
    : token_(std::move(token)), address_(std::move(address)), port_(port) {}

std::string Guard::url() const {
  const bool any = address_ == "0.0.0.0" || address_ == "::";
  return fmt::format("http://{}:{}/?token={}", any ? "localhost" : in_url(address_), port_, token_);
}

/// A cookie is of a host, not of a port: two servers must not overwrite each other's.
std::string Guard::cookie_name() const {
  return fmt::format("gpx-{}", port_);
}

bool Guard::is_own(const std::string& host) const {
  const std::string port = fmt::format(":{}", port_);
  if (!host.ends_with(port)) return false;
  const std::string name = host.substr(0, host.size() - port.size());
  if (name == in_url(address_)) return true;
  if (is_loopback(address_) || address_ == "0.0.0.0" || address_ == "::")
    if (name == "localhost" || name == "127.0.0.1" || name == "[::1]") return true;
  // Whoever listens for other machines cannot know by which name they reach this one, but a name
  // of the DNS could be rebound: only addresses are taken.
  const bool all = address_ == "0.0.0.0" || address_ == "::";
  return all && !name.empty() &&
         name.find_first_not_of("0123456789.:abcdef[]") == std::string::npos &&
         name.find_first_of(".:") != std::string::npos;
}

bool Guard::has_token(const Request& request) const {
  constexpr std::string_view kBearer = "Bearer ";
  if (request.authorization.starts_with(kBearer))
    return same_secret(std::string_view(request.authorization).substr(kBearer.size()), token_);
  return cookie_has(request.cookie, cookie_name(), token_);
}

std::optional<Response> Guard::refusal(const Request& request) const {
  if (!is_own(request.host)) return refused(421, "this server has another name");
  if (!request.origin.empty() && request.origin != "http://" + request.host)
    return refused(403, "this request comes from another page");
  const auto token = request.query.find("token");
  if (request.method == "GET" && request.path == "/" && token != request.query.end()) {
    if (!same_secret(token->second, token_)) return refused(403, "this token is wrong");
    Response to{303, "text/plain", ""};
    to.headers = {{"Location", "/"},
                  {"Set-Cookie",
                   fmt::format("{}={}; HttpOnly; SameSite=Strict; Path=/", cookie_name(), token_)}};
    return to;
  }
  if (!has_token(request))
    return refused(403, "a token is missing: open the address that gpx serve printed");
  if (request.method == "POST" && !request.content_type.starts_with("application/json"))
    return refused(415, "a POST needs Content-Type: application/json");
  return std::nullopt;
}

Result<std::string> path_inside(const std::string& folder, const std::string& path) {
  const auto wrong = [&](const char* why) {
    return fail(Fault::input, fmt::format("'{}' {}", path, why));
  };
  if (path.empty() || path.find('\0') != std::string::npos) return wrong("names no file");
  const fs::path relative = path;
  if (relative.is_absolute()) return wrong("is not below the folder of the page");
  std::error_code error;
  const fs::path root = fs::weakly_canonical(folder, error);
  if (error) return wrong("cannot be looked for");
  const fs::path whole = fs::weakly_canonical(root / relative, error);
  if (error) return wrong("cannot be looked for");
  const fs::path from_root = whole.lexically_relative(root);
  if (from_root.empty() || *from_root.begin() == ".." || from_root == ".")
    return wrong("is not below the folder of the page");
  return whole.string();
}

std::vector<std::pair<std::string, std::string>> security_headers(const std::string& nonce) {
  return {{"Content-Security-Policy",
           fmt::format("default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{}'; "
                       "style-src-attr 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; "
                       "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
                       nonce)},
          {"X-Content-Type-Options", "nosniff"},
          {"X-Frame-Options", "DENY"},
          {"Referrer-Policy", "no-referrer"},
          {"Cross-Origin-Resource-Policy", "same-origin"},
          {"Cross-Origin-Opener-Policy", "same-origin"},
          {"Cache-Control", "no-store"}};
}

}  // namespace gpx::serve
