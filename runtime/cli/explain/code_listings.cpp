// Interface: code_listings.h.
#include "runtime/cli/explain/code_listings.h"

#include <fmt/format.h>

#include "codegen/compile/compile.h"
#include "codegen/user/user_kernel.h"
#include "lang/lists.h"
#include "runtime/cli/explain/bank_passes.h"
#include "runtime/report/html/text.h"

namespace gpx::cli {
namespace {

using report::html::json_text;

std::string name_of(const codegen::Target& target) {
  return fmt::format("sm_{}{}", target.sm, target.specific ? "a" : "");
}

struct Machine {
  std::vector<std::uint8_t> cubin;
  std::string entry, why_not;
};

/// What the device would run, or what another architecture would.
Machine machine_of(const LoweredMeasure& measure, const codegen::Target& architecture) {
  const codegen::Artifact& artifact = measure.artifacts.front();
  if (!artifact.cubin.empty()) return {artifact.cubin, artifact.entry, {}};
  const auto cache = codegen::ArtifactCache::from_environment();
  if (measure.program.user) {
    const Source file(measure.kernel_file, artifact.cuda);
    auto made = codegen::compile_file(file, architecture, {}, cache, nullptr);
    if (!made) return {{}, {}, made.error().diagnostics.front().message};
    return {std::move(made->artifact.cubin), artifact.entry, {}};
  }
  codegen::CompileOptions options;
  options.cache = cache;
  auto made = codegen::compile(std::span(&measure.program.kernels.front(), 1), architecture,
                               options, nullptr);
  if (!made) return {{}, {}, made.error().diagnostics.front().message};
  return {std::move(made->front().cubin), made->front().entry, {}};
}

Listing machine_code(const LoweredMeasure& measure, const codegen::Target& architecture,
                     const Listing& ptx, ExplainedMeasure& into) {
  const Machine machine = machine_of(measure, architecture);
  const bool borrowed = measure.artifacts.front().cubin.empty();
  const std::string name = name_of(architecture);
  if (machine.cubin.empty()) {
    into.facts.push_back(fmt::format("machine code: none for {}{}{}", name,
                                     machine.why_not.empty() ? "" : ": ", machine.why_not));
    return {};
  }
  const auto program = codegen::sass::read_program(machine.cubin, name, machine.entry);
  if (!program || program->functions.empty()) return {};
  if (borrowed)
    into.facts.push_back(
        fmt::format("machine code: compiled for {}; the virtual GPU executes the PTX", name));
  Listing sass = sass_lines(program->functions.front());
  if (!measure.program.user) link_by_order(sass, ptx);
  return sass;
}

std::string json_of(const Line& line) {
  std::string out = fmt::format("{{\"text\":{}", json_text(line.text));
  if (line.timed) out += ",\"timed\":true";
  if (line.origin > 0) out += fmt::format(",\"origin\":{}", line.origin);
  if (!line.control.empty()) out += fmt::format(",\"control\":{}", json_text(line.control));
  return out + "}";
}

template <typename Items, typename Text>
std::string json_list(const Items& items, Text text) {
  return "[" + joined(items, ",\n", text) + "]";
}

std::string json_of(const CodeListing& listing) {
  return fmt::format("{{\"form\":{},\"of\":{},\"lines\":{}}}", json_text(listing.form),
                     json_text(listing.of),
                     json_list(listing.lines, [](const Line& line) { return json_of(line); }));
}

}  // namespace

void add_code(const LoweredMeasure& measure, const Source& source, const Backend& backend,
              const codegen::Target& architecture, ExplainedMeasure& into) {
  const codegen::Artifact& artifact = measure.artifacts.front();
  Listing cuda, ptx;
  const bool user = measure.program.user;
  if (user) {
    cuda = lines_of(artifact.cuda);
    for (std::size_t i = 0; i < cuda.size(); ++i)
      cuda[i].origin = static_cast<std::uint32_t>(i + 1);
    ptx = lines_of(artifact.ptx);
    link_by_locations(ptx);
  } else {
    cuda = marked(artifact.cuda, "%%clock64");
    link_by_names(cuda, measure.program.kernels.front());
    ptx = marked(artifact.ptx, "%clock64");
    link_by_names(ptx, measure.program.kernels.front());
  }
  if (const auto passes = bank_passes(measure, backend)) into.facts.push_back(*passes);
  Listing sass = machine_code(measure, architecture, ptx, into);
  if (user) {
    into.listings.push_back({"CUDA", measure.kernel_file, std::move(cuda)});
  } else {
    into.listings.push_back({"source", "", source_lines(source, measure.measure->body_span)});
    into.listings.push_back({"kernel", "", kernel_lines(measure.program.kernels.front())});
    into.listings.push_back({"CUDA", "", std::move(cuda)});
  }
  into.listings.push_back({"PTX", "", std::move(ptx)});
  const std::string of = artifact.cubin.empty() ? name_of(architecture) : name_of(artifact.target);
  if (!sass.empty()) into.listings.push_back({"SASS", of, std::move(sass)});
}

std::string to_json(const std::vector<ExplainedMeasure>& all) {
  return fmt::format(
      "{{\"schema\":1,\"explained\":{}}}\n", json_list(all, [](const ExplainedMeasure& one) {
        return fmt::format(
            "{{\"heading\":{},\"facts\":{},\"listings\":{}}}", json_text(one.heading),
            json_list(one.facts, [](const std::string& text) { return json_text(text); }),
            json_list(one.listings, [](const CodeListing& listing) { return json_of(listing); }));
      }));
}

}  // namespace gpx::cli
