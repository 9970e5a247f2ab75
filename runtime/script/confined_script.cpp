// A script that is not trusted, in a process of its own: what it asks of its surroundings is asked
// of this process, which looks at each wish again. Interface: script.h. Covered by
// tests/script/script_test.cpp and tests/security/attacks/limits.sh.
#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "codegen/confined/error_wire.h"
#include "codegen/files/files.h"
#include "lang/language.h"
#include "lang/try.h"
#include "runtime/report/report.h"
#include "runtime/script/confine.h"
#include "runtime/script/script.h"

namespace gpx::report {

template <typename Archive, Sent<RunOrigin> T>
void exchange(Archive& archive, T& value) {
  auto& [id, status, started, ended, host, command, folder, device, seed] = value;
  archive(id, status, started, ended, host, command, folder, device, seed);
}

template <typename Archive, Sent<RunEntry> T>
void exchange(Archive& archive, T& value) {
  auto& [number, origin, experiments, devices, points, points_total, findings, held, broken] =
      value;
  archive(number, origin, experiments, devices, points, points_total, findings, held, broken);
}

}  // namespace gpx::report

namespace gpx::script {
namespace {

namespace fs = std::filesystem;

enum class Wish : std::uint8_t { run, runs, load, print };

/// Beyond what scripts count themselves: documents on their way.
constexpr std::uint64_t kBesideLua = std::uint64_t{1} << 30;

/// What a document says of a run, with what its text says beyond it.
Result<RunResult> run_from(const Result<std::string>& document) {
  if (!document) return tl::unexpected(document.error());
  auto read = GPX_TRY(report::from_json(*document, "the run"));
  store::complete(read.result);
  return std::move(read.result);
}

Result<std::string> document_of(const Result<RunResult>& run) {
  return run.map([](const RunResult& result) { return report::to_json(result); });
}

/// In the script's process.
class FarHost final : public Host {
 public:
  explicit FarHost(confined::Asker& asker) : asker_(asker) {}

  Result<RunResult> run(const Source& source, const RunOptions& options) override {
    wire::Writer wish;
    std::vector<std::string> settings;
    for (const Setting& setting : options.settings)
      settings.insert(settings.end(), {setting.name, setting.text});
    wish(Wish::run, source.name(), source.text(), options.device, options.seed, settings);
    return run_from(confined::result_from<std::string>(asker_.ask(wish.take())));
  }
  Result<std::vector<store::RunEntry>> runs(const store::Filter& filter) override {
    wire::Writer wish;
    wish(Wish::runs, filter.limit, filter.device, filter.experiment);
    return confined::result_from<std::vector<store::RunEntry>>(asker_.ask(wish.take()));
  }
  Result<RunResult> load(const std::string& run) override {
    wire::Writer wish;
    wish(Wish::load, run);
    return run_from(confined::result_from<std::string>(asker_.ask(wish.take())));
  }

 private:
  confined::Asker& asker_;
};

/// In this process: the wishes of a script that may be anything by now.
class NearHost {
 public:
  NearHost(Host& host, const Confine& confine, const Options& options)
      : host_(host), confine_(confine), options_(options) {}

  wire::Bytes operator()(const wire::Bytes& bytes) {
    wire::Reader reader(bytes);
    Wish wish{};
    reader(wish);
    switch (wish) {
      case Wish::run: return confined::to_bytes(document_of(run(reader)));
      case Wish::runs: return confined::to_bytes(runs(reader));
      case Wish::load: return confined::to_bytes(document_of(load(reader)));
      case Wish::print: print(reader);
    }
    return {};
  }

 private:
  static tl::unexpected<Error> no_wish() { return fail(Fault::device, "this is no wish"); }

  Result<RunResult> run(wire::Reader& reader) {
    std::string name, text;
    std::vector<std::string> settings;
    RunOptions options;
    reader(name, text, options.device, options.seed, settings);
    if (!reader.complete() || settings.size() % 2 != 0) return no_wish();
    for (std::size_t i = 0; i < settings.size(); i += 2)
      options.settings.push_back({settings[i], settings[i + 1]});
    const Source source(name, text);
    GPX_TRY(check_confined(confine_, source, options));
    return host_.run(source, options);
  }
  Result<std::vector<store::RunEntry>> runs(wire::Reader& reader) {
    store::Filter filter;
    reader(filter.limit, filter.device, filter.experiment);
    if (!reader.complete()) return no_wish();
    return host_.runs(filter);
  }
  Result<RunResult> load(wire::Reader& reader) {
    std::string run;
    reader(run);
    if (!reader.complete()) return no_wish();
    return host_.load(run);
  }
  void print(wire::Reader& reader) {
    std::string line;
    reader(line);
    if (reader.complete() && options_.budget.on_print) options_.budget.on_print(line);
  }

  Host& host_;
  const Confine& confine_;
  const Options& options_;
};

/// The text of the script, or of the library's module, that Lua calls `chunk`.
Error late_error(const confined::Place& place, const Source& script, const Paths& paths) {
  if (LuaSandbox::short_name(script.name()) == place.chunk)
    return late_script(script.name(), script.text(), place);
  const std::string path = (fs::path(paths.stdlib) / "analysis" / place.chunk).string();
  return late_script(path, file_text(path).value_or(""), place);
}

Result<void> ended(const confined::Outcome& outcome, const Source& script, const Paths& paths) {
  using How = confined::Outcome::How;
  switch (outcome.how) {
    case How::done:
      return confined::result_from<std::string>(outcome.result).map([](const std::string&) {});
    case How::late: return tl::unexpected(late_error(outcome.place, script, paths));
    case How::stopped: return fail(Fault::input, "interrupted");
    case How::died: break;
  }
  return fail(Fault::input, script, {}, fmt::format("the process of the script {}", outcome.why),
              "--trust runs it without limits");
}

}  // namespace

Result<void> run_script(const Source& script, Host& host, const Paths& paths,
                        const Options& options) {
  if (options.trusted) return run_script_here(script, host, paths, options);
  const std::string folder = fs::path(script.name()).parent_path().string();
  const Confine confine(folder, paths);
  confined::Limits limits;
  limits.seconds = options.budget.seconds + kSandboxGrace;
  limits.memory_bytes = options.budget.memory_bytes + kBesideLua;
  limits.readable = {folder.empty() ? "." : folder, paths.stdlib, paths.experiments};
  const auto work = [&](confined::Asker& asker) {
    FarHost far(asker);
    Options there = options;
    there.budget.stop = nullptr;
    there.budget.on_print = [&](const std::string& line) {
      wire::Writer wish;
      wish(Wish::print, line);
      asker.tell(wish.take());
    };
    return confined::to_bytes(
        run_script_here(script, far, paths, there).map([] { return std::string(); }));
  };
  NearHost near(host, confine, options);
  const auto outcome = confined::run(limits, work, std::ref(near), options.budget.stop);
  return ended(outcome, script, paths);
}

}  // namespace gpx::script
