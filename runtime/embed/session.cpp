// What gpx/gpx.h declares: each call goes to the stage of the same name, with its types converted.
// No exception leaves: a bug or a lack of memory becomes an error of the machine.
#include <algorithm>
#include <exception>
#include <iterator>
#include <new>

#include "codegen/files/files.h"
#include "lang/c_locale.h"
#include "lang/float_environment.h"
#include "lang/lists.h"
#include "lang/read.h"
#include "runtime/device/select.h"
#include "runtime/embed/convert.h"

namespace gpx {
namespace {

v1::Error machine_error(const std::string& message) {
  return embed::convert(make_error(Fault::device, message));
}

/// Call's result, or what it threw as an error. The caller's locale and floating-point
/// environment do not count.
template <typename Call>
auto guarded(Call call) -> decltype(call()) {
  const CLocale numbers_have_points;
  const FloatEnvironment plain_numbers;
  try {
    return call();
  } catch (const std::bad_alloc&) {
    return machine_error("out of memory");
  } catch (const std::exception& error) {
    return machine_error(std::string("internal error: ") + error.what());
  }
}

/// Tells the user's function of the points.
class Progress : public RunObserver {
 public:
  explicit Progress(const v1::RunOptions& options) : options_(options) {}
  void measured(const ExperimentResult&, const PointsMeasured& points) override {
    if (options_.progress) options_.progress(points.done, points.total);
  }

 private:
  const v1::RunOptions& options_;
};

}  // namespace

namespace v1 {

const char* version() {
  return GPX_VERSION;
}

const char* to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::measured: return "measured";
    case Verdict::not_observed: return "not_observed";
    case Verdict::inconclusive: break;
  }
  return "inconclusive";
}

std::size_t Samples::rows() const {
  if (columns.empty()) return 0;
  const Column& first = columns.front();
  return first.is_text ? first.texts.size() : first.numbers.size();
}

const Column* Samples::find(std::string_view name) const {
  return find_in(columns, name, &Column::name);
}

const char* verdict_text(const Finding& finding) {
  if (finding.modelled && finding.verdict == Verdict::measured) return "modelled";
  return to_string(finding.verdict);
}

const Finding* Outcome::find(std::string_view finding) const {
  return find_in(findings, finding, &Finding::name);
}

Result<Source> read_file(const std::string& path) {
  return guarded([&]() -> Result<Source> {
    auto text = read_file_at(path);
    if (!text) return machine_error("cannot read '" + path + "': " + text.error().reason);
    return Source{path, std::move(*text)};
  });
}

Result<std::string> format(const Source& source) {
  return guarded([&]() -> Result<std::string> {
    const gpx::Source text(source.name, source.text);
    const auto ast = parse(text);
    if (!ast) return embed::convert(ast.error());
    return gpx::format(*ast, text);
  });
}

Result<std::vector<Experiment>> check(const Source& source, const std::vector<Setting>& settings) {
  return guarded([&]() -> Result<std::vector<Experiment>> {
    const auto experiments =
        read_experiments(gpx::Source(source.name, source.text), embed::settings_of(settings));
    if (!experiments) return embed::convert(experiments.error());
    std::vector<Experiment> result;
    for (const auto& experiment : *experiments) result.push_back(embed::convert(experiment));
    return result;
  });
}

struct Session::Impl {
  explicit Impl(const Places& places)
      : session(
            {folder_of(places) + "/stdlib", folder_of(places) + "/experiments", places.program}) {}
  static std::string folder_of(const Places& places) {
    if (!places.data.empty()) return places.data;
    return std::string(kEmbedded.substr(0, kEmbedded.size() - 1));
  }
  gpx::Session session;
};

Session::Session(Places places) : impl_(std::make_unique<Impl>(places)) {}
Session::~Session() = default;
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;

std::vector<std::string> Session::virtual_devices() const {
  return gpx::virtual_devices(impl_->session.paths());
}

Result<Device> Session::device(const std::string& name) {
  return guarded([&]() -> Result<Device> {
    const auto backend = impl_->session.open(name);
    if (!backend) return embed::convert(backend.error());
    return embed::convert((*backend)->info());
  });
}

Result<std::vector<Outcome>> Session::run(const Source& source, const RunOptions& options) {
  return guarded([&]() -> Result<std::vector<Outcome>> {
    Progress progress(options);
    gpx::RunOptions run;
    run.device = options.device;
    run.settings = embed::settings_of(options.settings);
    run.seed = options.seed;
    run.stop = options.stop;
    run.observers = {&progress};
    auto result = impl_->session.run(gpx::Source(source.name, source.text), run);
    if (!result) return embed::convert(result.error());
    std::vector<Outcome> outcomes;
    for (auto& experiment : result->experiments)
      outcomes.push_back(embed::convert(std::move(experiment)));
    return outcomes;
  });
}

}  // namespace v1
}  // namespace gpx
