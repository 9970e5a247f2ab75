#include "runtime/serve/guard.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

using namespace gpx::serve;

namespace {

Request to(const std::string& host, const std::string& origin = "") {
  Request request;
  request.method = "GET";
  request.path = "/api/state";
  request.host = host;
  request.origin = origin;
  request.authorization = "Bearer secret";
  return request;
}

int status(const Guard& guard, const Request& request) {
  const auto refusal = guard.refusal(request);
  return refusal ? refusal->status : 200;
}

}  // namespace

TEST_CASE("a token is 32 hex digits, and no two are the same") {
  CHECK(new_token().size() == 32);
  CHECK(new_token().find_first_not_of("0123456789abcdef") == std::string::npos);
  CHECK(new_token() != new_token());
}

TEST_CASE("hosts: a loopback server has three names, another one its address alone") {
  const Guard local("secret", "127.0.0.1", 80);
  for (const char* own : {"127.0.0.1:80", "localhost:80", "[::1]:80"})
    CHECK_MESSAGE(status(local, to(own)) == 200, own);
  for (const char* foreign : {"127.0.0.1", "127.0.0.1:8", "evil:80", "127.0.0.2:80", ":80", ""})
    CHECK_MESSAGE(status(local, to(foreign)) == 421, foreign);
  const Guard all("secret", "0.0.0.0", 80);
  CHECK(status(all, to("192.168.1.5:80")) == 200);
  CHECK(status(all, to("rebound.example:80")) == 421);
  CHECK(status(all, to("abcdef:80")) == 421);
  CHECK(Guard("secret", "::1", 80).url() == "http://[::1]:80/?token=secret");
  CHECK(all.url() == "http://localhost:80/?token=secret");
}

TEST_CASE("origins: the page's own or none") {
  const Guard guard("secret", "127.0.0.1", 80);
  CHECK(status(guard, to("localhost:80", "http://localhost:80")) == 200);
  for (const char* foreign : {"null", "http://localhost", "https://localhost:80",
                              "http://127.0.0.1:80", "http://localhost:80.evil"})
    CHECK_MESSAGE(status(guard, to("localhost:80", foreign)) == 403, foreign);
}

TEST_CASE("tokens: by header or by the cookie of this port, whole") {
  const Guard guard("secret", "127.0.0.1", 80);
  const auto with = [&](const char* header, const char* cookie) {
    Request request = to("localhost:80");
    request.authorization = header;
    request.cookie = cookie;
    return status(guard, request);
  };
  CHECK(with("Bearer secret", "") == 200);
  CHECK(with("", "gpx-80=secret") == 200);
  CHECK(with("", "a=b; gpx-80=old; gpx-80=secret; c=d") == 200);
  for (const char* wrong : {"", "gpx-80=", "gpx-80=secre", "gpx-80=secrett", "gpx-81=secret",
                            "xgpx-80=secret", "gpx-80", "=secret"})
    CHECK_MESSAGE(with("", wrong) == 403, wrong);
  for (const char* wrong : {"secret", "Bearer", "Bearer ", "bearer secret", "Basic secret"})
    CHECK_MESSAGE(with(wrong, "") == 403, wrong);
}

TEST_CASE("paths: below the folder, whatever their links and dots") {
  namespace fs = std::filesystem;
  const fs::path root = fs::temp_directory_path() / ("gpx-guard-" + new_token());
  fs::create_directories(root / "in" / "below");
  std::ofstream(root / "secret.cu") << "x";
  fs::create_symlink(root, root / "in" / "out");
  fs::create_symlink(root / "secret.cu", root / "in" / "leak.cu");
  const std::string folder = (root / "in").string();
  for (const char* good : {"a.cu", "below/a.cu", "below/../a.cu", "./a.cu"})
    CHECK_MESSAGE(path_inside(folder, good), good);
  for (const std::string bad : {"", ".", "..", "../secret.cu", "below/../../secret.cu",
                                "out/secret.cu", "leak.cu", "out", "/etc/passwd"})
    CHECK_FALSE_MESSAGE(path_inside(folder, bad), bad);
  CHECK_FALSE(path_inside(folder, std::string("a.cu\0b", 6)));
  fs::remove_all(root);
}
