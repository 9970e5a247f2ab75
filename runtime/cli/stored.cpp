#include "runtime/cli/stored.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "lang/try.h"
#include "runtime/child_process.h"
#include "runtime/store/place.h"

namespace gpx::cli {
namespace {

bool measures_same(const store::StoredRun& stored, const std::vector<Source>& sources,
                   const RunOptions& run) {
  const auto same_text = [](const Source& a, const Source& b) { return a.text() == b.text(); };
  const auto same_setting = [](const Setting& a, const Setting& b) {
    return a.name == b.name && a.text == b.text;
  };
  if (stored.result.gpx != GPX_VERSION || stored.result.experiments.empty()) return false;
  const ExperimentResult& first = stored.result.experiments.front();
  return first.shard == run.shard && first.all_blocks == run.all_blocks &&
         std::ranges::equal(stored.result.sources, sources, same_text) &&
         std::ranges::equal(stored.result.settings, run.settings, same_setting);
}

/// The newest run of the store that measures the same; none: there is none, or no store.
Result<std::optional<store::StoredRun>> earlier_run(const StoreOptions& options,
                                                    const std::vector<Source>& sources,
                                                    const RunOptions& run) {
  const store::Place place = store::find_place(options.store);
  std::error_code none;
  if (place.path.empty() || !std::filesystem::exists(place.path, none)) return std::nullopt;
  const auto opened = GPX_TRY(store::Store::open(place.path, false));
  const auto entries = GPX_TRY(opened.runs({.limit = 0, .device = {}, .experiment = {}}));
  for (const store::RunEntry& entry : entries) {
    if (entry.origin.device != run.device || entry.origin.seed != run.seed) continue;
    auto stored = GPX_TRY(opened.load(entry.number));
    if (measures_same(stored, sources, run)) return stored;
  }
  return std::nullopt;
}

/// A store that is named is not made in a folder that is not there: a name may be mistyped. The
/// usual place is made, folders and all.
Result<store::Store> open_place(const store::Place& place, bool create) {
  const std::filesystem::path folder = std::filesystem::path(place.path).parent_path();
  std::error_code ignored;
  if (place.named && create && !folder.empty() && !std::filesystem::exists(folder, ignored))
    return fail(Fault::device,
                fmt::format("cannot make the store '{}': there is no folder '{}'", place.path,
                            folder.string()),
                "mkdir -p " + shell_word(folder.string()));
  return store::Store::open(place.path, create);
}

/// Who measures several devices hears of each device's run.
void tell_number(const Console& console, std::int64_t number) {
  if (!console.progress || number == 0) return;
  print(console.progress, fmt::format("{}{}\n", kKeptAsRun, number));
  std::fflush(console.progress);
}

void warn(const Console& console, const Error& error) {
  print(console.err,
        fmt::format("warning: this run is not kept: {}\n", error.diagnostics.front().message));
}

}  // namespace

std::string shell_word(const std::string& word) {
  constexpr const char* kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + '\'';
}

std::string command_line(const std::vector<std::string>& arguments) {
  std::string line = "gpx";
  for (const std::string& word : arguments) line += ' ' + shell_word(word);
  return line;
}

Result<store::Store> open_store(const StoreOptions& options, bool create) {
  const store::Place place = store::find_place(options.store);
  if (place.path.empty())
    return fail(Fault::input,
                "there is no store: GPX_STORE is empty or off, or there is no home folder",
                "--store FILE; or without one, gpx run --json FILE keeps a run that gpx plot FILE, "
                "export and diff read");
  return open_place(place, create);
}

Result<store::StoredRun> load_run(const store::Store& store, const std::string& name) {
  const auto number = GPX_TRY(store.find(name));
  return store.load(number);
}

Result<store::StoredRun> load_run(const StoreOptions& options, const std::string& name) {
  const auto opened = GPX_TRY(open_store(options, false));
  return load_run(opened, name);
}

std::string when(const std::string& time) {
  return time.size() >= 19 ? time.substr(0, 10) + ' ' + time.substr(11, 8) : time;
}

Result<RunKeeper> RunKeeper::begin(const StoreOptions& options, const Console& console,
                                   std::vector<Source> sources, const RunOptions& run) {
  RunKeeper keeper;
  const store::Place place = options.no_store ? store::Place{} : store::find_place(options.store);
  keeper.named_ = place.named;
  if (place.path.empty()) return keeper;
  auto opened = open_place(place, true);
  if (!opened && place.named) return tl::unexpected(opened.error());
  if (!opened) {
    warn(console, opened.error());
    return keeper;
  }
  keeper.store_ = std::make_unique<store::Store>(std::move(*opened));
  RunResult inputs;
  inputs.sources = std::move(sources);
  inputs.settings = run.settings;
  keeper.recorder_ = std::make_unique<store::Recorder>(
      *keeper.store_,
      store::origin_of_this_run(command_line(console.arguments), run.device, run.seed),
      std::move(inputs));
  return keeper;
}

Result<RunKeeper> RunKeeper::resume(store::Store store, const store::StoredRun& run) {
  RunKeeper keeper;
  keeper.store_ = std::make_unique<store::Store>(std::move(store));
  auto recorder = GPX_TRY(store::Recorder::resume(*keeper.store_, run));
  keeper.recorder_ = std::make_unique<store::Recorder>(std::move(recorder));
  return keeper;
}

void RunKeeper::observe(RunOptions& run) const {
  if (recorder_) run.observers.push_back(recorder_.get());
}

RunObserver* RunKeeper::observer(std::size_t experiment) const {
  return recorder_ ? &recorder_->at(experiment) : nullptr;
}

std::int64_t RunKeeper::number() const {
  return recorder_ && !recorder_->problem() ? recorder_->number() : 0;
}

int RunKeeper::finish(const Console& console, bool interrupted, bool failed) {
  if (!recorder_) return kSuccess;
  recorder_->finish(interrupted, failed);
  tell_number(console, number());
  if (!recorder_->problem()) return kSuccess;
  if (named_) return print_error(console, *recorder_->problem());
  warn(console, *recorder_->problem());
  return kSuccess;
}

Result<KeptRun> keep_run(const StoreOptions& options, bool continues, const Console& console,
                         const std::vector<Source>& sources, const RunOptions& run) {
  KeptRun kept;
  if (continues && !options.no_store) {
    kept.earlier = GPX_TRY(earlier_run(options, sources, run));
  }
  if (kept.is_complete()) {
    tell_number(console, kept.earlier->number);
    return kept;
  }
  auto keeper = GPX_TRY([&]() -> Result<RunKeeper> {
    if (!kept.earlier) return RunKeeper::begin(options, console, sources, run);
    auto opened = open_store(options, false);
    if (!opened) return tl::unexpected(opened.error());
    return RunKeeper::resume(std::move(*opened), *kept.earlier);
  }());
  kept.keeper = std::move(keeper);
  return kept;
}

}  // namespace gpx::cli
