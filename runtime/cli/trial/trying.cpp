// Interface: trying.h. Covered by tests/cli/try_command_test.cpp.
#include "runtime/cli/trial/trying.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "runtime/report/table.h"

namespace gpx::cli {
namespace {

using Json = nlohmann::json;

std::string percent(std::size_t part, std::size_t all) {
  return all == 0 ? ""
                  : fmt::format("{:.1f} %",
                                100.0 * static_cast<double>(part) / static_cast<double>(all));
}

/// The first folder below `path`; "." of a file that lies in it.
std::string folder_of(const std::string& file, const std::string& path) {
  const std::filesystem::path below = std::filesystem::path(file).lexically_relative(path);
  const bool inside = std::distance(below.begin(), below.end()) > 1;
  return inside ? below.begin()->string() : ".";
}

const char* phrase(Tried tried) {
  constexpr const char* kPhrases[] = {"runs",
                                      "wrong result",
                                      "wrong arguments guessed",
                                      "refused",
                                      "template without an instance",
                                      "compile error",
                                      "time-out",
                                      "crash of gpx"};
  return kPhrases[static_cast<std::size_t>(tried)];
}

using Counts = std::map<Tried, std::size_t>;

std::size_t total(const Counts& counts) {
  std::size_t sum = 0;
  for (const auto& [tried, count] : counts) sum += count;
  return sum;
}

std::string outcomes_table(const std::map<std::string, Counts>& by_folder, const Counts& all,
                           const report::Style& style) {
  std::vector<std::string> header = {"folder", "kernels"};
  std::vector<bool> right = {false, true};
  for (const Tried tried : kTried)
    if (all.contains(tried)) {
      header.emplace_back(phrase(tried));
      right.push_back(true);
    }
  header.emplace_back("run");
  right.push_back(true);
  report::Table table(header, right);
  const auto add = [&](const std::string& name, const Counts& counts) {
    std::vector<report::Cell> row = {{name}, {fmt::format("{}", total(counts))}};
    for (const Tried tried : kTried)
      if (all.contains(tried))
        row.push_back({fmt::format("{}", counts.contains(tried) ? counts.at(tried) : 0)});
    const std::size_t run = counts.contains(Tried::runs) ? counts.at(Tried::runs) : 0;
    row.push_back({percent(run, total(counts))});
    table.add(std::move(row));
  };
  for (const auto& [name, counts] : by_folder) add(name, counts);
  if (by_folder.size() != 1) add("all", all);
  return table.render(style);
}

}  // namespace

OutputAside::OutputAside() {
  std::fflush(stdout);
  kept_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
}
OutputAside::~OutputAside() {
  std::fflush(stdout);
  if (kept_ < 0) return;
  ::dup2(kept_, STDOUT_FILENO);
  ::close(kept_);
}

std::string trials_json(const std::vector<Trial>& trials, const std::string& device) {
  Json list = Json::array();
  Json totals = Json::object();
  for (const Tried tried : kTried) totals[std::string(to_string(tried))] = 0;
  for (const Trial& each : trials) {
    const std::string outcome(to_string(each.outcome));
    totals[outcome] = totals[outcome].get<int>() + 1;
    list.push_back({{"file", each.file},
                    {"line", each.line},
                    {"kernel", each.kernel},
                    {"guessed", each.guessed},
                    {"outcome", outcome},
                    {"why", each.why},
                    {"why_line", each.why_line},
                    {"seconds", each.seconds}});
  }
  const Json document = {{"schema", 1},
                         {"gpx", GPX_VERSION},
                         {"try", {{"device", device}, {"kernels", list}, {"totals", totals}}}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string trials_text(const std::vector<Trial>& trials, const std::string& path,
                        const std::string& device, bool all, const report::Style& style) {
  if (trials.empty()) return fmt::format("there is no kernel in '{}'\n", path);
  std::map<std::string, Counts> by_folder;
  Counts counts;
  report::Table rest({"kernel", "at", "outcome", "why"});
  for (const Trial& each : trials) {
    ++by_folder[folder_of(each.file, path)][each.outcome];
    ++counts[each.outcome];
    if (each.outcome == Tried::runs && !all) continue;
    const std::string why =
        each.why_line > 0 ? fmt::format("line {}: {}", each.why_line, each.why) : each.why;
    rest.add({{each.kernel},
              {fmt::format("{}:{}", each.file, each.line)},
              {phrase(each.outcome)},
              {why}});
  }
  std::string text = fmt::format("{} on {}\n", plural(trials.size(), "kernel"), device) +
                     outcomes_table(by_folder, counts, style);
  if (!rest.empty()) text += "\n" + rest.render(style);
  return text;
}

}  // namespace gpx::cli
