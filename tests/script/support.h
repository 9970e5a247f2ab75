// Scripts with a host that runs on the virtual K20 and has no store.
#pragma once

#include <doctest/doctest.h>

#include <string>

#include "../cli/captured.h"
#include "runtime/script/script.h"

namespace gpx::script {

inline const Paths kPaths{GPX_SOURCE_DIR "/stdlib", GPX_SOURCE_DIR "/experiments"};

class TestHost : public Host {
 public:
  Result<RunResult> run(const Source& source, const RunOptions& options) override {
    ++runs_made;
    return session_.run(source, options);
  }
  Result<std::vector<store::RunEntry>> runs(const store::Filter& filter) override {
    store::RunEntry entry;
    entry.number = 7;
    entry.experiments = {filter.experiment};
    return std::vector<store::RunEntry>(filter.limit == 20 ? 1 : filter.limit, entry);
  }
  Result<RunResult> load(const std::string& run) override {
    if (run != "7") return fail(Fault::input, "there is no run '" + run + "'");
    return session_.run(Source("a", "threads 32 < load unique(128B) > device k20"), {});
  }
  int runs_made = 0;

 private:
  Session session_{kPaths};
};

struct Ran {
  std::string printed, error;
  int runs = 0;
};

inline Ran run(const std::string& text, Options options = {},
               const std::string& path = "folder/mine.lua") {
  TestHost host;
  Ran ran;
  options.device = "k20";
  options.budget.on_print = [&](const std::string& line) { ran.printed += line + '\n'; };
  const auto done = run_script(Source(path, text), host, kPaths, options);
  if (!done) ran.error = render(done.error());
  ran.runs = host.runs_made;
  return ran;
}

}  // namespace gpx::script
