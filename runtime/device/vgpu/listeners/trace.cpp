// Events as JSON, one a line. Interface: trace.h. Covered by tests/vgpu/listeners_test.cpp.
#include "runtime/device/vgpu/listeners/trace.h"

#include <fmt/format.h>

namespace gpx::vgpu {

bool Trace::add(const std::string& event) {
  if (events_.size() + event.size() > most_bytes_) {
    most_bytes_ = 0;  // nothing after the first that does not fit: what is there has no gaps
    ++left_out_;
    return false;
  }
  events_ += events_.empty() ? "" : ",\n";
  events_ += event;
  return true;
}

void Trace::complete(std::string_view name, std::string_view category, Clk from, Clk to,
                     unsigned process, unsigned thread) {
  add(fmt::format(R"({{"name":"{}","cat":"{}","ph":"X","ts":{},"dur":{},"pid":{},"tid":{}}})", name,
                  category, offset_ + from, to - from, process, thread));
}

void Trace::launch_starts(Clk clk, unsigned) {
  launch_began_ = clk;
  if (launches_++ == 0) add(R"({"name":"process_name","ph":"M","pid":0,"args":{"name":"GPU"}})");
}

void Trace::launch_ends(Clk clk) {
  complete(fmt::format("launch {}", launches_), "launch", launch_began_, clk, 0, 0);
  end_ = offset_ + clk + 1;
}

// Blocks of an SM overlap, so they are no complete events of a thread.
void Trace::block(char phase, Clk clk, unsigned sm, std::uint64_t block) {
  add(fmt::format(
      R"({{"name":"block {}","cat":"block","ph":"{}","ts":{},"pid":{},"tid":0,"id":"{}.{}"}})",
      block, phase, offset_ + clk, sm + 1, launches_, block));
}
void Trace::block_starts(Clk clk, unsigned sm, std::uint64_t number) {
  block('b', clk, sm, number);
}
void Trace::block_ends(Clk clk, unsigned sm, std::uint64_t number) {
  block('e', clk, sm, number);
}

void Trace::warp_starts(Clk, unsigned sm, unsigned slot) {
  bool& named = named_[{sm, slot}];
  if (named) return;
  named = true;
  add(fmt::format(R"({{"name":"process_name","ph":"M","pid":{},"args":{{"name":"SM {}"}}}})",
                  sm + 1, sm));
  add(fmt::format(
      R"({{"name":"thread_name","ph":"M","pid":{},"tid":{},"args":{{"name":"warp slot {}"}}}})",
      sm + 1, slot, slot));
}

void Trace::issues(Clk clk, unsigned sm, unsigned slot, std::string_view unit,
                   std::string_view instruction) {
  complete(instruction, unit, clk, clk + 1, sm + 1, slot);
}

void Trace::stalls(Clk from, Clk to, unsigned sm, unsigned slot, timing::Stall reason) {
  complete(timing::name_of(reason), "stall", from, to, sm + 1, slot);
}

std::string Trace::text() const {
  std::string out = "[\n" + events_;
  if (left_out_ != 0)
    out += fmt::format(
        ",\n"
        R"({{"name":"the trace was cut: {} events are left out","ph":"i","ts":{},"pid":0,"tid":0,"s":"g"}})",
        left_out_, end_);
  return out + "\n]\n";
}

}  // namespace gpx::vgpu
