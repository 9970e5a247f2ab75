// Interface: http.h. Boost.Beast is header-only and comes with the Boost that statistics need, so
// that a static program is one, too.
#include "runtime/serve/http.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/version.hpp>
#include <chrono>
#include <mutex>
#include <set>
#include <thread>

namespace gpx::serve {
namespace {

namespace net = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using Code = boost::system::error_code;
using std::chrono::seconds;

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 &&
                        hex_digit(text[i + 2]) >= 0;
    out += escape ? static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]))
           : text[i] == '+' ? ' '
                            : text[i];
    if (escape) i += 2;
  }
  return out;
}

std::map<std::string, std::string> query_of(std::string_view text) {
  std::map<std::string, std::string> query;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    const std::size_t equals = std::min(part.find('='), part.size());
    const std::string_view value = part.substr(std::min(equals + 1, part.size()));
    query.emplace(decoded(part.substr(0, equals)), decoded(value));
  }
  return query;
}

std::string text(boost::string_view from) {
  return {from.data(), from.size()};
}

using Message = http::request<http::string_body>;

Request request_of(Message& message) {
  const std::string target = text(message.target());
  const std::size_t mark = std::min(target.find('?'), target.size());
  Request request;
  request.method = text(message.method_string());
  request.path = decoded(std::string_view(target).substr(0, mark));
  request.query = query_of(std::string_view(target).substr(std::min(mark + 1, target.size())));
  request.host = text(message[http::field::host]);
  request.origin = text(message[http::field::origin]);
  request.cookie = text(message[http::field::cookie]);
  request.authorization = text(message[http::field::authorization]);
  request.content_type = text(message[http::field::content_type]);
  request.body = std::move(message.body());
  return request;
}

/// One connection, by asynchronous operations of its own context: only those have a deadline for a
/// whole message, however slowly its bytes come.
class Connection {
 public:
  Connection(std::unique_ptr<net::io_context> context, net::ip::tcp::socket socket,
             const HttpServer::Handler& handler, const HttpLimits& limits,
             const std::atomic<bool>& stopped)
      : context_(std::move(context)),
        stream_(std::move(socket)),
        handler_(handler),
        limits_(limits),
        stopped_(stopped) {}

  void run() {
    while (!stopped_ && exchange()) {
    }
    Code ignored;
    stream_.socket().shutdown(net::ip::tcp::socket::shutdown_both, ignored);
  }
  void refuse() { send({503, "text/plain", "too many connections\n"}, false, 11); }

 private:
  /// The code of the operation that `start` begins.
  template <typename Start>
  Code wait(int limit_s, Start start) {
    Code code;
    stream_.expires_after(seconds(limit_s));
    start([&](Code result, std::size_t) { code = result; });
    context_->restart();
    context_->run();
    return code;
  }

  bool exchange() {
    http::request_parser<http::string_body> parser;
    parser.header_limit(static_cast<std::uint32_t>(limits_.header_bytes));
    parser.body_limit(limits_.body_bytes);
    if (buffer_.size() == 0) {  // Wait for a request's begin.
      const Code code = wait(limits_.idle_s, [&](auto done) {
        stream_.async_read_some(buffer_.prepare(4096), [&, done](Code c, std::size_t bytes) {
          buffer_.commit(bytes);
          done(c, bytes);
        });
      });
      if (code) return false;
    }
    const Code code = wait(limits_.arrival_s,
                           [&](auto done) { http::async_read(stream_, buffer_, parser, done); });
    if (code == http::error::body_limit)
      return send({413, "text/plain", "the request is too large\n"}, false, 11);
    if (code == http::error::header_limit)
      return send({431, "text/plain", "the request's header is too large\n"}, false, 11);
    if (code) return false;
    Message message = parser.release();
    const bool keep = message.keep_alive();
    const unsigned version = message.version();
    const bool known = message.method() == http::verb::get || message.method() == http::verb::post;
    return send(
        known ? handler_(request_of(message)) : Response{405, "text/plain", "only GET and POST\n"},
        keep, version);
  }

  bool send(const Response& from, bool keep, unsigned version) {
    http::response<http::string_body> message(static_cast<http::status>(from.status), version);
    message.set(http::field::content_type, from.type);
    for (const auto& [name, value] : from.headers) message.insert(name, value);
    message.keep_alive(keep);
    message.body() = from.body;
    message.prepare_payload();
    const Code code =
        wait(limits_.arrival_s, [&](auto done) { http::async_write(stream_, message, done); });
    return !code && keep;
  }

  std::unique_ptr<net::io_context> context_;
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  const HttpServer::Handler& handler_;
  const HttpLimits& limits_;
  const std::atomic<bool>& stopped_;
};

}  // namespace

struct HttpServer::State {
  net::io_context context;
  net::ip::tcp::acceptor acceptor{context};
  std::mutex mutex;
  std::set<int> sockets;  ///< Of the connections, whose threads refer to serve()'s arguments.

  /// Ends what they wait for, and waits for them.
  void close_all() {
    for (;; std::this_thread::sleep_for(std::chrono::milliseconds(5))) {
      const std::lock_guard lock(mutex);
      if (sockets.empty()) return;
      for (const int socket : sockets) ::shutdown(socket, SHUT_RDWR);
    }
  }
};

HttpServer::HttpServer() : state_(std::make_unique<State>()) {}
HttpServer::~HttpServer() = default;

Result<std::uint16_t> HttpServer::listen(const std::string& address, std::uint16_t port) {
  Code code;
  const auto parsed = net::ip::make_address(address, code);
  if (code)
    return fail(Fault::input, fmt::format("'{}' is no address", address),
                "127.0.0.1, ::1, 0.0.0.0");
  const net::ip::tcp::endpoint endpoint(parsed, port);
  auto& acceptor = state_->acceptor;
  acceptor.open(endpoint.protocol(), code);
  if (!code) acceptor.set_option(net::socket_base::reuse_address(true), code);
  if (!code) acceptor.bind(endpoint, code);
  if (!code) acceptor.listen(16, code);
  if (!code) acceptor.non_blocking(true, code);
  if (code)
    return fail(Fault::device,
                fmt::format("cannot listen on {} port {}: {}", address, port, code.message()),
                "--port 0 takes one that is free");
  return acceptor.local_endpoint().port();
}

void HttpServer::serve(const Handler& handler, const HttpLimits& limits,
                       const std::atomic<bool>& stopped) {
  while (!stopped) {
    auto context = std::make_unique<net::io_context>(1);
    Code code;
    net::ip::tcp::socket socket = state_->acceptor.accept(*context, code);
    if (code) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      continue;
    }
    socket.non_blocking(true, code);
    socket.set_option(net::ip::tcp::no_delay(true), code);
    const int number = socket.native_handle();
    auto owned = std::make_unique<Connection>(std::move(context), std::move(socket), handler,
                                              limits, stopped);
    const std::lock_guard lock(state_->mutex);
    if (state_->sockets.size() >= limits.connections) {
      owned->refuse();
      continue;
    }
    state_->sockets.insert(number);
    std::thread([this, number, connection = std::move(owned)]() mutable {
      connection->run();
      const std::lock_guard ended(state_->mutex);
      state_->sockets.erase(number);
      connection.reset();  // The number is another socket's from now on.
    }).detach();
  }
  state_->close_all();
}

}  // namespace gpx::serve
