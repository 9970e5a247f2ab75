// Interface: device_server.h. Covered by tests/runtime/isolated_backend_test.cpp.
#include "runtime/device/isolated/server.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "runtime/device/isolated/protocol.h"

namespace gpx {
namespace {

using protocol::Channel;
using protocol::Message;

const std::atomic<bool> kNoStop{false};

/// Answers one request after another. A request that it cannot read ends it.
class Server {
 public:
  Server(Backend& backend, Channel& channel) : backend_(backend), channel_(channel) {}

  int run() {
    Message request;
    while (channel_.receive(request) == Channel::Got::message) {
      if (!answer(request)) return static_cast<int>(Fault::device);
    }
    return EXIT_SUCCESS;
  }

 private:
  bool answer(const Message& request) {
    if (request.kind == protocol::Kind::load) return load(request);
    return request.kind == protocol::Kind::launch && launch(request);
  }

  bool send(const Message& message) { return channel_.send(message) == Channel::Got::message; }

  bool load(const Message& message) {
    const auto request = protocol::read_load(message);
    if (!request) return false;
    const auto loaded = backend_.load(request->program, request->artifacts);
    return send(loaded ? Message{protocol::Kind::loaded, {}} : protocol::error(loaded.error()));
  }

  bool launch(const Message& message) {
    const auto request = protocol::read_launch(message);
    if (!request || !send({protocol::Kind::began, {}})) return false;
    const Job job{&request->launch, 1, request->seed};
    const auto results = backend_.run({&job, 1}, kNoStop);
    if (!results) return send(protocol::error(results.error()));
    if (results->size() != 1 || results->front().repetitions.size() != 1) return false;
    return send(protocol::ended(results->front().repetitions.front()));
  }

  Backend& backend_;
  Channel& channel_;
};

}  // namespace

int serve_device(const std::function<Result<std::unique_ptr<Backend>>()>& open) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // a parent that died before this has closed the socket
  // The parent watches the launches: it knows how long each may take.
  ::setenv("GPX_WATCHDOG", "1e9", 1);
  Channel channel(STDIN_FILENO);
  auto backend = open();
  const Message first =
      backend ? protocol::hello((*backend)->info()) : protocol::error(backend.error());
  if (channel.send(first) != Channel::Got::message || !backend)
    return static_cast<int>(Fault::device);
  return Server(**backend, channel).run();
}

}  // namespace gpx
