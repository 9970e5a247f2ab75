// Results of runs in the store, and their comparison. Interface: api.h.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

#include "lang/try.h"
#include "runtime/report/html.h"
#include "runtime/serve/api.h"
#include "runtime/store/diff.h"
#include "runtime/store/diff_text.h"
#include "runtime/store/store.h"

namespace gpx::serve {
namespace {

constexpr std::size_t kMostRuns = 64;
constexpr std::uint64_t kMostListed = 30;

/// A run that another process writes is shown as it stands: it lacks points, but nobody stopped it.
void call_unfinished(store::StoredRun& run) {
  if (run.origin.status != "running") return;
  run.result.interrupted = false;
  for (ExperimentResult& one : run.result.experiments) one.interrupted = false;
}

Result<std::vector<report::Run>> load_runs(const std::string& path,
                                           const std::vector<std::int64_t>& numbers) {
  const auto store = GPX_TRY(store::Store::open(path, false));
  std::vector<report::Run> runs;
  for (const std::int64_t number : numbers) {
    auto run = GPX_TRY(store.load(number));
    call_unfinished(run);
    runs.push_back({fmt::format("run {}", number), {std::move(run.result), run.origin}});
  }
  return runs;
}

/// "12,15"
Result<std::vector<std::int64_t>> run_numbers(const std::string& text) {
  std::vector<std::int64_t> numbers;
  for (std::size_t at = 0; at < text.size() && numbers.size() < kMostRuns;) {
    std::int64_t number = 0;
    const auto [end, code] = std::from_chars(text.data() + at, text.data() + text.size(), number);
    if (code != std::errc{} || number < 1) break;
    numbers.push_back(number);
    at = static_cast<std::size_t>(end - text.data()) + 1;
  }
  if (numbers.empty()) return fail(Fault::input, fmt::format("'{}' names no runs", text), "12,15");
  return numbers;
}

/// `mark`: sections of the same runs may stand on one page twice.
std::string fragment_of(const std::vector<report::Run>& runs,
                        const std::vector<std::int64_t>& numbers, char mark) {
  return report::to_fragment(runs, fmt::format("{}{}-", mark, fmt::join(numbers, "-")));
}

/// Two cells have one experiment each, of different names: they are compared as if they had one.
void name_alike(const report::Run& first, report::Run& second) {
  const auto& one = first.document.result.experiments;
  auto& other = second.document.result.experiments;
  if (one.size() == 1 && other.size() == 1)
    other.front().experiment.name = one.front().experiment.name;
}

}  // namespace

Response Api::result(const Request& request) {
  const auto numbers = run_numbers(query_text(request, "runs"));
  if (!numbers) return error_response(numbers.error());
  const auto runs = load_runs(notebook_.settings().store, *numbers);
  if (!runs) return error_response(runs.error());
  return json_response({{"html", fragment_of(*runs, *numbers, 'r')}});
}

Response Api::runs(const Request& request) {
  const auto store = store::Store::open(notebook_.settings().store, false);
  if (!store) return json_response({{"runs", Json::array()}});  // Nothing has run yet.
  const auto found = store->runs(
      {.limit = kMostListed, .device = {}, .experiment = query_text(request, "experiment")});
  if (!found) return error_response(found.error());
  return json_response({{"runs", Json::parse(report::to_json(*found))}});
}

Response Api::diff(const Json& body) {
  const std::vector<std::string> names = texts_field(body, "names");
  const auto numbers = run_numbers(lsp::text_field(body, "runs"));
  if (!numbers) return error_response(numbers.error());
  if (numbers->size() != 2 || names.size() != 2)
    return error_response(make_error(Fault::input, "a comparison is of two runs", "12,15"));
  auto runs = load_runs(notebook_.settings().store, *numbers);
  if (!runs) return error_response(runs.error());
  for (std::size_t i = 0; i < names.size(); ++i) (*runs)[i].name = names[i];
  name_alike(runs->front(), runs->back());
  const auto all = store::diff(runs->front().document.result, runs->back().document.result);
  Json json = Json::parse(store::diff_json(all, runs->front(), runs->back()));
  json["html"] = fragment_of(*runs, *numbers, 'd');
  return json_response(json);
}

Response Api::export_page(const Request&) {
  const auto numbers = notebook_.shown_runs();
  if (numbers.empty())
    return error_response(make_error(Fault::input, "no cell has a result", "run one first"));
  const auto runs = load_runs(notebook_.settings().store, numbers);
  if (!runs) return error_response(runs.error());
  return {200,
          "text/html; charset=utf-8",
          report::to_html(*runs),
          {{"Content-Disposition", "attachment; filename=\"gpx.html\""}}};
}

}  // namespace gpx::serve
