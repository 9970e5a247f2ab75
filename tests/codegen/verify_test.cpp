// The verifier of the kernel IR: codegen/ir/verify.cpp.
#include <string>

#include "support.h"

namespace gpx::codegen::test {
namespace {

const char* const kSound = R"(kernel sound {
  threads 128
  param data : buffer
  param never : u64
  param pitch : u64
  setup {
    %t = thread
    %o = mul.u64 %t, %pitch
    %a = at %data, %o
    ready %a
  }
  timed {
    %v = ld.global.b32 [%a + 0]
    await %v
  }
  observe latency
}
)";

Kernel kernel_of(const std::string& text) {
  const auto kernels = parse_kernels(Source("k.kernel", text));
  if (!kernels) FAIL(render(kernels.error()));
  return kernels->front();
}

std::string verdict(const Kernel& kernel) {
  const auto result = verify(kernel);
  return result ? "sound" : result.error().diagnostics.front().message;
}

std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

TEST_CASE("a sound kernel passes") {
  CHECK(verdict(kernel_of(kSound)) == "sound");
}

TEST_CASE("a kernel that breaks one rule is refused for it") {
  struct Row {
    const char* from;
    const char* to;
    const char* complaint;
  };
  const Row rows[] = {
      {"threads 128", "threads 0", "a block of 0 threads"},
      {"param never : u64", "param other : u64", "there is no parameter never : u64"},
      {"%t = thread", "%result = thread\n %t = thread", "the name %result is taken"},
      {"%t = thread", "%t = thread\n %t = thread", "the name %t is taken"},
      {"param pitch : u64", "param pitch : u64\n param late : buffer", "stands after a scalar"},
      {"mul.u64 %t, %pitch", "mul.u64 %t, %data", "mul.u64 cannot take %data, a buffer"},
      {"at %data, %o", "at %pitch, %o", "at cannot take %pitch, a u64"},
      {"ready %a", "ready %t, %a", "ready cannot take %t, a u64"},
      {"ready %a", "", "the setup region does not end with ready"},
      {"ready %a", "ready", "uses %a, which is not ready"},
      {"ready %a", "ready %a\n %z = thread", "ready is not the last of the setup"},
      {"ready %a", "%b = at %data, %t\n ready %b", "uses %a, which is not ready"},
      {"await %v", "", "the timed region does not end with await"},
      {"await %v", "await", "%v is loaded and not awaited"},
      {"await %v", "await %v, %v", "await names %v twice"},
      {"%v = ld.global.b32", "%z = thread\n %v = ld.global.b32", "thread in the timed region"},
      {"%o = mul", "%b = at %data, %t\n %w = ld.global.b32 [%b + 0]\n %o = mul",
       "ld.global.b32 in the setup region"},
      {"+ 0]", "+ 8388608]", "offset 8388608 of ld.global.b32 is not below 8388608"},
      {"%t = thread", "%t = thread.cg", "thread has a cache operator"},
      {"await %v", "st.global.b64 [%a + 0], %v\n await %v", "st.global.b64 cannot take %v, a b32"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.to);
    const std::string found = verdict(kernel_of(with(kSound, row.from, row.to)));
    CAPTURE(found);
    CHECK(found.find(row.complaint) != std::string::npos);
  }
}

const char* const kBranching = R"(kernel branching {
  threads 64
  param never : u64
  array links : global 4096
  stamp half
  keep seen
  setup {
    %lane = lane
    %one = const.b32 1
    %zero = const.u64 0
    %first = link links, %zero
    %base = base links
    shared count, %one
    ready %lane, %one, %first, %base
  }
  timed {
    %p = eq.u32 %lane, %one
    when %p {
      sync.divergent
      stamp half
      %v = chase.b32 links, %first, %base, %one
    } else {
      operate add.u32 x 8 streams 2
    }
    while {
      %r = ld.shared count
      %q = eq.u32 %r, %one
    } %q {
      st.shared count, %lane
    }
    diverge %lane over 1, 0 {
      keep seen, %r
    }
    sync
    await %v
  }
  observe timeline
}
)";

TEST_CASE("a kernel that branches is sound, and refused for one broken rule") {
  CHECK(verdict(kernel_of(kBranching)) == "sound");
  struct Row {
    const char* from;
    const char* to;
    const char* complaint;
  };
  const Row rows[] = {
      {"sync.divergent", "sync", "sync in divergent code"},
      {"stamp half\n  keep", "keep", "there is no stamp half"},
      {"keep seen\n  setup", "setup", "nothing is kept as seen"},
      {"shared count, %one\n", "\n", "there is no shared word count"},
      {"shared count, %one", "shared count, %one shared count, %one", "count is there twice"},
      {"array links : global 4096", "", "there is no array links"},
      {"global 4096", "global 0", "array links has 0 bytes"},
      {"operate add.u32", "operate jump", "there is no operation jump"},
      {"x 8 streams 2", "x 8 streams 3", "8 executions of add.u32 in 3 streams"},
      {"when %p", "when %lane", "when cannot take %lane, a b32"},
      {"diverge %lane", "diverge %q", "diverge cannot take %q, a pred"},
      {"await %v", "await", "%v is loaded and not awaited"},
      {"    sync\n", "    st.shared count, %v\n", "st.shared uses %v before it has a value"},
      {"observe timeline", "observe each", "observe each and its records go together"},
      {"ready %lane, ", "ready ", "uses %lane, which is not ready"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.to);
    const std::string found = verdict(kernel_of(with(kBranching, row.from, row.to)));
    CAPTURE(found);
    CHECK(found.find(row.complaint) != std::string::npos);
  }
}

TEST_CASE("a kernel that no text can spell is refused too") {
  const auto broken = [](auto change) {
    Kernel kernel = kernel_of(kSound);
    change(kernel);
    return verdict(kernel);
  };
  const auto says = [](const std::string& text, const char* part) {
    CAPTURE(text);
    CHECK(text.find(part) != std::string::npos);
  };
  says(broken([](Kernel& k) { k.setup[0].result = 999; }), "writes a register that is not there");
  says(broken([](Kernel& k) { k.setup[1].operands[0] = 999; }),
       "uses a register that is not there");
  says(broken([](Kernel& k) { k.setup[1].operands.pop_back(); }), "too few operands");
  says(broken([](Kernel& k) { k.setup[1].operands.push_back(1); }), "too many operands");
  says(broken([](Kernel& k) { k.setup[0].result = kNoRegister; }), "no register for its result");
  says(broken([](Kernel& k) { k.setup[1].result = k.setup[0].result; }), "written twice");
  says(broken([](Kernel& k) { std::swap(k.setup[0], k.setup[1]); }), "before it has a value");
  says(broken([](Kernel& k) { k.name = "two words"; }), "not a name for a kernel");
  says(broken([](Kernel& k) { k.registers[3].name = "9t"; }), "not a name for a register");
  says(broken([](Kernel& k) { k.timed.clear(); }), "does not end with await");
  says(broken([](Kernel& k) { k.parameters = 99; }), "more parameters than registers");
}

TEST_CASE("values that do not fit into a block's registers are refused") {
  std::string loads, values;
  for (int i = 1; i < 60; ++i) {
    loads += "%v" + std::to_string(i) + " = ld.global.b32 [%a + " + std::to_string(4 * i) + "]\n";
    values += ", %v" + std::to_string(i);
  }
  const std::string text =
      with(with(kSound, "await %v", "await %v" + values), "await", loads + "await");
  CHECK(verdict(kernel_of(text)) == "sound");
  const std::string full = with(text, "threads 128", "threads 1024");
  CHECK(verdict(kernel_of(full)) ==
        "kernel sound: 71 registers a thread, 64 are there in a block of 1024 threads");
}

TEST_CASE("the register file is shared by the warps of a block") {
  CHECK(register_budget(1) == 255);
  CHECK(register_budget(256) == 255);
  CHECK(register_budget(257) == 168);
  CHECK(register_budget(512) == 128);
  CHECK(register_budget(1024) == 64);
}

}  // namespace
}  // namespace gpx::codegen::test
