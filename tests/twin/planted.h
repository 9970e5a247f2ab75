// Devices in the form of a draft, whose truth is planted, and what experiments measure on them.
#pragma once

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "runtime/twin/draft.h"
#include "runtime/twin/gather.h"
#include "tests/experiments/support.h"

namespace gpx::test {

inline const char* const kPlantedNote = "assumed = \"planted\"";

/// A device in the form of a draft, whose clock takes so long, with this store buffer.
inline std::string device_with(int clock, const std::string& stores) {
  std::string ops;
  for (const char* unit : {"alu", "fp64", "sfu", "warp", "branch"})
    ops += fmt::format("    {} = {{ latency = \"4 clocks\", interval = \"0.5 clocks\" }},\n", unit);
  return fmt::format(
      R"(return {{
  name = "planted",
  clock = "1000 MHz",
  compute_capability = {{ "9.0", assumed = "planted" }},
  memory = "1 GB",

  sm = {{
    count = 4, warp_slots = 64, block_slots = 32, max_threads_per_block = 1024, schedulers = 4,
    shared = "64 KB",
  }},

  op = {{
{}  }},

  coalescer = {{
    line = {{ "32 B", assumed = "planted" }},
  }},

  lsu = {{
    pipelines = 1, clocks_per_load = 1, clocks_per_lane = 0, writeback_per_lane = 0,
  }},

  dram = {{
    latency = {{ "400 clocks", assumed = "planted" }},
    departure = {{ "0.1 clocks", assumed = "planted" }},
  }},

  shared = {{
    latency = {{ "23 clocks", assumed = "planted" }},
  }},

  constant = {{
    latency = {{ "300 clocks", assumed = "planted" }},
  }},

  barrier = {{
    latency = {{ "14 clocks", assumed = "planted" }},
    per_warp = {{ "2 clocks", assumed = "planted" }},
  }},

  clock_register = {{
    cost = {{ "{} clocks", assumed = "planted" }},
  }},
{}}}
)",
      ops, clock, stores);
}

inline std::string planted_file(const std::string& text) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / fmt::format("gpx-fit-{}.lua", ::getpid());
  std::ofstream(path) << text;
  return path.string();
}

/// What experiments of twin_training.gpx measure on a device.
inline twin::Measured measured_on(const std::string& device,
                                  const std::vector<std::string>& experiments) {
  const std::string text(read_source(GPX_SOURCE_DIR "/experiments/twin_training.gpx").text());
  std::string chosen;
  for (const std::string& experiment : experiments) {
    const std::size_t begin = text.find("experiment " + experiment + " ");
    chosen += text.substr(begin, text.find("\n}\n", begin) + 3 - begin);
  }
  Session session(source_paths());
  auto run = twin::run_each(session, device, Source("twin_training.gpx", std::move(chosen)), {});
  if (!run) FAIL(render(run.error()));
  return {std::move(*run), "2026-01-31"};
}

}  // namespace gpx::test
