// At how many threads does the latency of loads jump? Asked of two virtual GPUs at once.
#include <gpx/gpx.h>

#include <cstdio>
#include <string>
#include <thread>

const gpx::Source kQuestion = {"<question>", R"(
  experiment jump "Two loads a thread, each to a block of its own" {
    sweep n 1..2, threads 32..1024 step 16
    < load unique(128B) x n >
    analyze outstanding(x = threads, loads = n)
  })"};

/// A session for each thread: they share nothing.
std::string answer_of(const std::string& device) {
  gpx::Session session;
  gpx::RunOptions options;
  options.device = device;
  const auto run = session.run(kQuestion, options);
  if (!run) return run.error().text;
  const gpx::Outcome& outcome = run->front();
  if (outcome.failure) return outcome.failure->text;

  std::string answer = device + (outcome.device.is_virtual ? " (virtual)" : "") + ": " +
                       std::to_string(outcome.samples.rows()) + " samples\n";
  for (const gpx::Finding& finding : outcome.findings) {
    const double* value = std::get_if<double>(&finding.value);
    if (finding.verdict != gpx::Verdict::measured || finding.unit != "threads" || !value) continue;
    char line[128];
    std::snprintf(line, sizeof line, "  %s: %g threads (%g..%g)\n", finding.name.c_str(), *value,
                  finding.low.value_or(*value), finding.high.value_or(*value));
    answer += line;
  }
  return answer;
}

int main() {
  // What is wrong with a text comes as a value, with its place.
  const auto wrong = gpx::check({"<wrong>", "sweep threads 2..4 < load uniqe(128B) >"});
  if (wrong) return 1;
  const gpx::Problem& problem = wrong.error().problems.front();
  std::printf("line %d, column %d: %s; %s\n", problem.place->line, problem.place->column,
              problem.message.c_str(), problem.hint.c_str());

  std::string k20, m2070;
  std::thread first([&] { k20 = answer_of("k20"); });
  std::thread second([&] { m2070 = answer_of("m2070"); });
  first.join();
  second.join();
  std::fputs((k20 + m2070).c_str(), stdout);
  return 0;
}
