// A device file that begins with the fields of another one.
#include "runtime/device/vgpu/description/base_file.h"

#include <doctest/doctest.h>

#include "runtime/device/vgpu/description/description.h"
#include "virtual_support.h"

using namespace gpx;
using namespace gpx::vgpu::timing;

namespace {

LuaData data_of(const std::string& text) {
  const auto data = read_lua_data(Source("folder/own.lua", text));
  REQUIRE(data);
  return *data;
}

LuaValue merged(const std::string& own, const std::string& base) {
  const Source source("folder/own.lua", own);
  const auto result = over_base(source, data_of(own), data_of(base));
  REQUIRE(result);
  return result->value;
}

std::string base_text_of(const std::string& own) {
  const auto base = base_of(Source("folder/own.lua", own), data_of(own));
  if (!base) return render(base.error());
  return *base ? **base : "none";
}

}  // namespace

TEST_CASE("the base of a device file lies in its folder") {
  CHECK(base_text_of("return { base = \"h100\" }") == "folder/h100.lua");
  CHECK(base_text_of("return { name = \"own\" }") == "none");
  for (const char* wrong : {"\"../h100\"", "\"a/b\"", "\"\"", "7", "{}"}) {
    CAPTURE(wrong);
    const std::string message = base_text_of(std::string("return { base = ") + wrong + " }");
    CHECK(message.find("folder/own.lua:1:10: error: \"base\" is the name of a device file") == 0);
  }
}

TEST_CASE("what a file gives replaces the base's field; the rest of its section stays") {
  const LuaValue value = merged(
      "return { base = \"a\", name = \"own\", sm = { count = 4 }, op = { fma = { latency = \"9\" } "
      "} }",
      "return { name = \"a\", title = \"A\", sm = { count = 2, slots = 8, source = \"paper\" }, "
      "op = { alu = { latency = \"4\" }, fma = { latency = \"5\", interval = \"1\" } } }");
  CHECK(value.find("base") == nullptr);
  CHECK(value.find("name")->text == "own");
  CHECK(value.find("title")->text == "A");
  const LuaValue& sm = *value.find("sm");
  CHECK(sm.find("count")->number == 4);
  CHECK(sm.find("slots")->number == 8);
  CHECK(value.find("op")->find("alu")->find("latency")->text == "4");
  CHECK(value.find("op")->find("fma")->find("interval") == nullptr);
}

TEST_CASE("a note of a section goes to its own file's fields") {
  const LuaValue value = merged(
      "return { base = \"a\", sm = { source = \"mine\", count = 4, slots = { 9, assumed = \"so\" } "
      "} }",
      "return { sm = { source = \"paper\", count = 2, slots = 8, warps = 1 } }");
  const LuaValue& sm = *value.find("sm");
  CHECK(sm.find("source")->text == "paper");
  CHECK(sm.find("count")->items.at(0).number == 4);
  CHECK(sm.find("count")->find("source")->text == "mine");
  CHECK(sm.find("slots")->find("assumed")->text == "so");
  CHECK(sm.find("slots")->find("source") == nullptr);
  CHECK(sm.find("warps")->number == 1);
}

TEST_CASE("a base has no base, and must be there") {
  const Source source("folder/own.lua", "return { base = \"a\" }");
  const auto twice = over_base(source, data_of(source.text()), data_of("return { base = \"b\" }"));
  REQUIRE_FALSE(twice);
  CHECK(render(twice.error()).find("has no base itself, as \"a\" does") != std::string::npos);
  const auto missing = parse_description("folder/own.lua", source.text());
  REQUIRE_FALSE(missing);
  CHECK(render(missing.error()).find("cannot read the device file 'folder/a.lua'") !=
        std::string::npos);
}

TEST_CASE("a device file and its base are read from one text, without the folder") {
  const std::string folder = GPX_SOURCE_DIR "/stdlib/devices/";
  const auto file = parse_description_file(folder + "8800gtx.lua", vgpu::device_text("8800gtx"));
  REQUIRE(file);
  const std::string text = with_base(vgpu::device_text("8800gtx"), file->base_text);
  const auto alone = parse_description_file("nowhere/8800gtx.lua", text);
  if (!alone) FAIL(render(alone.error()));
  CHECK(alone->ops.size() == file->ops.size());
  CHECK(with_base(text, alone->base_text).size() > text.size());
  CHECK(with_base(text, "") == text);
}

TEST_CASE("the 8800gtx is the fx5600 with other values, and has its base with it") {
  const std::string folder = GPX_SOURCE_DIR "/stdlib/devices/";
  const auto own = parse_description(folder + "8800gtx.lua", vgpu::device_text("8800gtx"));
  if (!own) FAIL(render(own.error()));
  CHECK(own->name == "8800gtx");
  CHECK(own->base_text == vgpu::device_text("fx5600"));
}

// No value by hand: its record is docs/results/twin.md.
TEST_CASE("the h200 is a file of gpx twin, which says where each value is from") {
  const std::string text = vgpu::device_text("h200");
  const auto h200 = parse_description("h200.lua", text);
  if (!h200) FAIL(render(h200.error()));
  CHECK(text.starts_with("-- NVIDIA H200: made by `gpx twin` from measurements of it."));
  CHECK(h200->name == "h200");
  CHECK(h200->base_text.empty());
  CHECK(h200->without_source.empty());
  CHECK(h200->l2->capacity == 60u << 20);
  CHECK(h200->slices->distances.size() == 96);
  CHECK(h200->block_refill > 0);
}

// Of runs of an H100, and of the h200 for what they lack.
TEST_CASE("the h100 is a file of gpx twin with its own memory and the h200's SM") {
  const std::string text = vgpu::device_text("h100");
  const auto h100 = parse_description("h100.lua", text);
  const auto h200 = parse_description("h200.lua", vgpu::device_text("h200"));
  if (!h100) FAIL(render(h100.error()));
  REQUIRE(h200);
  CHECK(text.starts_with("-- NVIDIA H100 80GB HBM3: made by `gpx twin` from measurements of it."));
  CHECK(h100->without_source.empty());
  CHECK(h100->l2->capacity == 50u << 20);
  CHECK(h100->slices->distances.size() == 80);
  CHECK(h100->l1->capacity == h200->l1->capacity);
  CHECK(h100->store_buffer->queue == h200->store_buffer->queue);
  CHECK(h100->dram.departure > 1.4 * h200->dram.departure);  // 3.0 and 4.4 TB/s
}
