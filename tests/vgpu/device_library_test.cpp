// What kernels do by way of the driver: printf, assert, malloc, free (exec/device_library.h).
#include "runtime/device/vgpu/exec/device_library.h"

#include "exec_support.h"

using namespace gpx;
using namespace gpx::vgpu;
using exec::Heap;

namespace {

std::string bytes_of(const std::string& text) {
  std::string out;
  for (const char c : text) out += fmt::format("{}, ", static_cast<int>(c));
  return out + "0";
}

/// What one thread prints of the format with arguments of 8 bytes each, as PTX has them.
std::string printed(const std::string& format, const std::vector<std::string>& arguments) {
  std::string text = fmt::format(
      ".version 9.0\n.target sm_75\n.address_size 64\n"
      ".global .align 1 .b8 format[] = {{{}}};\n.global .align 1 .b8 word[] = {{{}}};\n"
      ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a) ;\n"
      ".visible .entry k(.param .u64 out) {{\n"
      ".local .align 8 .b8 depot[128]; .reg .b64 d, f, a, o, w; .reg .b32 r;\n"
      "ld.param.u64 o, [out]; mov.u64 d, depot; cvta.local.u64 a, d; mov.u64 f, format;\n"
      "cvta.global.u64 f, f; mov.u64 w, word; cvta.global.u64 w, w;\n",
      bytes_of(format), bytes_of("word"));
  for (std::size_t i = 0; i < arguments.size(); ++i)
    text += fmt::format("st.local.b64 [d+{}], {};\n", 8 * i, arguments[i]);
  text +=
      "{ .param .b64 p0; st.param.b64 [p0], f; .param .b64 p1; st.param.b64 [p1], a;\n"
      ".param .b32 back; call (back), vprintf, (p0, p1); ld.param.b32 r, [back]; }\n"
      "st.global.u32 [o], r; ret; }\n";
  exec::Device device(text);
  exec::GlobalMemory& memory = device.memory;
  const std::uint64_t out = memory.allocate(4, nullptr);
  std::vector<std::uint8_t> parameters(8);
  std::memcpy(parameters.data(), &out, 8);
  const exec::Grid grid = exec::grid_of(1, 1);
  exec::Executor executor(device.module, *device.module.find("k"), grid, parameters, memory);
  const auto report = exec::run(executor);
  if (!report) return report.error().message;
  REQUIRE(executor.output().lines.size() == 1);
  return fmt::format("{}={}", executor.output().lines.front().text,
                     device.read<std::int32_t>(out, 1).front());
}

TEST_CASE("printf_elsewhere: a text is formatted as the host formats it") {
  CHECK(printed("plain", {}) == "plain=0");
  CHECK(printed("%lld|%llu|%llx", {"-5", "5", "255"}) == "-5|5|ff=3");
  CHECK(printed("[%6.2f] [%-8g] [%e]",
                {"0d3ff8000000000000", "0dc000000000000000", "0d4008000000000000"}) ==
        "[  1.50] [-2      ] [3.000000e+00]=3");
  CHECK(printed("%s, %.2s, [%6s]", {"w", "w", "w"}) == "word, wo, [  word]=3");
  CHECK(printed("100%% %c", {"65"}) == "100% A=1");
  CHECK(printed("%p %s", {"4096", "0"}) == "0x1000 (null)=2");
  CHECK(printed("%y %d", {"3"}) == "%y 3=1");
  CHECK(printed("%", {}) == "%=0");
  CHECK(printed("%s", {"12345"}) ==
        "printf reads its format or an argument outside of every buffer");
  CHECK(printed("%2000000000d", {"1"}).size() == exec::DeviceOutput::kMostText + 2);
}

TEST_CASE("the heap gives what is free, takes it back, and joins gaps") {
  Heap heap;
  const auto a = heap.take(100), b = heap.take(1), c = heap.take(0);
  CHECK(a == 0);
  CHECK(b == 112);
  CHECK(c == 128);
  CHECK(heap.take(Heap::kBytes) == Heap::kBytes);
  CHECK(heap.take(~std::uint64_t{0}) == Heap::kBytes);
  CHECK(heap.give_back(a));
  CHECK_FALSE(heap.give_back(a));
  CHECK_FALSE(heap.give_back(8));
  CHECK(heap.take(64) == 0);
  CHECK(heap.take(32) == 64);
  for (const std::uint64_t each : {std::uint64_t{0}, std::uint64_t{64}, b, c})
    CHECK(heap.give_back(each));
  CHECK(heap.take(Heap::kBytes) == 0);
}

TEST_CASE("an assertion that fails ends the launch, with its place, its text and its thread") {
  const std::string text = fmt::format(
      ".version 9.0\n.target sm_75\n.address_size 64\n"
      ".global .align 1 .b8 what[] = {{{}}};\n.global .align 1 .b8 file[] = {{{}}};\n"
      ".global .align 1 .b8 function[] = {{{}}};\n"
      ".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, "
      ".param .b64 e) ;\n"
      ".visible .entry k() {{ .reg .pred p; .reg .b32 t; .reg .b64 a;\n"
      "mov.u32 t, %tid.x; setp.lt.u32 p, t, 40; @p bra fine;\n"
      "{{ .param .b64 p0; mov.u64 a, what; st.param.b64 [p0], a;\n"
      ".param .b64 p1; mov.u64 a, file; st.param.b64 [p1], a;\n"
      ".param .b32 p2; st.param.b32 [p2], 17;\n"
      ".param .b64 p3; mov.u64 a, function; st.param.b64 [p3], a;\n"
      ".param .b64 p4; st.param.b64 [p4], 1;\n"
      "call __assertfail, (p0, p1, p2, p3, p4); }}\nfine: ret; }}\n",
      bytes_of("i < n"), bytes_of("a.cu"), bytes_of("void k()"));
  exec::Device device(text);
  device.run("k", exec::grid_of(2, 40));
  const auto failed = device.launch("k", exec::grid_of(2, 48));
  REQUIRE_FALSE(failed);
  CHECK(failed.error().message ==
        "a.cu:17: void k(): block (0, 0, 0), thread (40, 0, 0): assertion 'i < n' failed");
}

}  // namespace
