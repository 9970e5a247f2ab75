#include <doctest/doctest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

#include "runtime/device/isolated/protocol.h"

namespace gpx::protocol {
namespace {

codegen::Program program() {
  codegen::Program made;
  codegen::Kernel kernel;
  kernel.name = "k";
  kernel.threads = 64;
  kernel.parameters = 2;
  kernel.registers = {{"data", codegen::Type::buffer}, {"n", codegen::Type::u64}, {"x", {}}};
  kernel.observe = Observe::time;
  made.kernels = {kernel};
  made.buffers = {{"data", 1ull << 40, true, codegen::Buffer::Place::texture, true}};
  made.results = {{"latency", codegen::kNotKept, codegen::ResultSlot::Role::sample}};
  made.records = {{{"stamp", {"a", ""}}, {"thread", {}}}, {"clock", "sm"}};
  made.launches.resize(3);
  made.repetitions = 4;
  made.outcomes = true;
  made.may_hang = true;
  return made;
}

TEST_CASE("a program arrives as a backend needs it") {
  codegen::Artifact artifact;
  artifact.entry = "k";
  artifact.ptx = std::string("a\0b", 3);
  artifact.cubin = {0, 255};
  artifact.target = {codegen::Target::Form::cubin, 90};
  const auto got = read_load(load(program(), std::vector{artifact}));
  REQUIRE(got.has_value());
  const codegen::Kernel& kernel = got->program.kernels.at(0);
  CHECK(kernel.name == "k");
  CHECK(kernel.observe == Observe::time);
  CHECK(kernel.buffers() == std::vector<std::string>{"data"});
  CHECK(kernel.scalars() == std::vector<std::string>{"n"});
  const codegen::Buffer& buffer = got->program.buffers.at(0);
  CHECK(buffer.bytes == 1ull << 40);
  CHECK(buffer.place == codegen::Buffer::Place::texture);
  CHECK(buffer.has_contents);
  CHECK(got->program.results.at(0).initial == codegen::kNotKept);
  CHECK(got->program.records.keys.at(0).labels == std::vector<std::string>{"a", ""});
  CHECK(got->program.records.columns == std::vector<std::string>{"clock", "sm"});
  CHECK(got->program.launches.empty());
  CHECK(got->program.outcomes);
  CHECK(got->artifacts.at(0).ptx == artifact.ptx);
  CHECK(got->artifacts.at(0).cubin == artifact.cubin);
  CHECK(got->artifacts.at(0).target == artifact.target);
}

TEST_CASE("a launch, its end, an error and a greeting arrive as they were sent") {
  codegen::Launch sent;
  sent.kernel = 2;
  sent.threads = 96;
  sent.scalars = {1, ~0ull};
  sent.flush = true;
  sent.offset = 1 << 20;
  sent.record_extents = {3, 4};
  sent.contents = {{Array::Layout::Kind::steps, 4096, 8, {2, 64}}};
  sent.watchdog = 0.25;
  const auto got = read_launch(launch(sent, 77));
  REQUIRE(got.has_value());
  CHECK(got->seed == 77);
  CHECK(got->launch.threads == 96);
  CHECK(got->launch.scalars == sent.scalars);
  CHECK(got->launch.flush);
  CHECK(got->launch.offset == 1 << 20);
  CHECK(got->launch.record_rows() == 12);
  CHECK(got->launch.contents == sent.contents);
  CHECK(got->launch.watchdog == 0.25);

  const auto end = read_ended(ended({Outcome::deadlock, {5, 6}, 0.5}));
  REQUIRE(end.has_value());
  CHECK(end->outcome == Outcome::deadlock);
  CHECK(end->results == std::vector<std::uint64_t>{5, 6});

  const auto failure = read_error(error(make_error(Fault::input, "wrong", "right")));
  REQUIRE(failure.has_value());
  CHECK(failure->fault == Fault::input);
  CHECK(failure->diagnostics.at(0).hint == "right");
  CHECK(read_hello(hello(DeviceInfo{}))->version == version());
}

TEST_CASE("a body that is cut, too long or of another kind is none") {
  Message message = launch({}, 1);
  CHECK(!read_load(message).has_value());
  message.body.push_back(0);
  CHECK(!read_launch(message).has_value());
  for (std::size_t size = 0; size < launch({}, 1).body.size(); ++size) {
    message.body.resize(size);
    CHECK(!read_launch(message).has_value());
  }
  // A list that claims more elements than there are bytes.
  message = {Kind::ended, wire::Bytes(20, 0xff)};
  CHECK(!read_ended(message).has_value());
}

struct Pair {
  Pair() {
    int ends[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    raw = ends[1];
    here = std::make_unique<Channel>(ends[0]);
  }
  int raw;
  std::unique_ptr<Channel> here;
};

TEST_CASE("a message larger than the socket's buffer arrives whole") {
  Pair pair;
  Channel there(pair.raw);
  const Repetition repetition{Outcome::completed, std::vector<std::uint64_t>(1 << 20, 3), 1};
  std::thread sender([&] { there.send(ended(repetition)); });
  Message message;
  CHECK(pair.here->receive(message) == Channel::Got::message);
  sender.join();
  CHECK(read_ended(message)->results == repetition.results);
}

TEST_CASE("receiving ends with the deadline, with stop, with the other end, and at garbage") {
  Pair pair;
  Message message;
  CHECK(pair.here->receive(message, Channel::Clock::now()) == Channel::Got::late);
  const std::atomic<bool> stop{true};
  CHECK(pair.here->receive(message, {}, &stop) == Channel::Got::stopped);
  const std::string garbage(16, 'x');
  REQUIRE(::write(pair.raw, garbage.data(), garbage.size()) == 16);
  CHECK(pair.here->receive(message) == Channel::Got::garbage);
  ::close(pair.raw);
  CHECK(pair.here->receive(message) == Channel::Got::closed);
  CHECK(pair.here->send(hello(DeviceInfo{})) == Channel::Got::closed);
}

}  // namespace
}  // namespace gpx::protocol
