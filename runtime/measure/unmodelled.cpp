// Interface: unmodelled.h. Covered by tests/runtime/unmodelled_test.cpp.
#include "runtime/measure/unmodelled.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "codegen/ir/inline_ptx.h"
#include "lang/lists.h"
#include "lang/statements.h"
#include "lang/vocabulary.h"

namespace gpx {
namespace {

using Name = ModelPart::Name;

/// Analyses that look for a part.
constexpr struct {
  std::string_view method;
  Name part;
} kLookedFor[] = {{"tlb", Name::translation},
                  {"shared_banks", Name::shared_banks},
                  {"pipelines", Name::operation_costs},
                  {"operands", Name::operand_latency},
                  {"constant_sharing", Name::constant_caches},
                  {"constant_bandwidth", Name::constant_caches},
                  {"instruction_cache", Name::instruction_caches},
                  {"instruction_fetch", Name::instruction_caches}};

/// Instructions of a kernel from a file, as its PTX spells them.
constexpr struct {
  std::string_view opcode;
  Name part;
} kExecuted[] = {{"ld.shared", Name::shared_banks},   {"st.shared", Name::shared_banks},
                 {"ld.const", Name::constant_caches}, {"tex.", Name::texture_caches},
                 {"atom.", Name::atomic_contention},  {"red.", Name::atomic_contention}};

class Asked {
 public:
  explicit Asked(const Experiment& experiment) : experiment_(experiment) {
    for (const Analyze& analyze : experiment.analyses)
      for (const auto& row : kLookedFor)
        if (!analyze.is_file && analyze.method == row.method) parts_.insert(row.part);
    for (const Measure& measure : experiment.measures)
      for_each_statement(measure.body, [&](const Statement& one) { statement(one); });
  }

  void kernel(const codegen::Artifact& artifact) {
    for (const auto& row : kExecuted)
      if (artifact.ptx.find(fmt::format("\t{}", row.opcode)) != std::string::npos)
        parts_.insert(row.part);
  }

  const std::set<Name>& parts() const { return parts_; }

 private:
  void statement(const Statement& one) {
    if (std::holds_alternative<Code>(one.node)) parts_.insert(Name::instruction_caches);
    if (const auto* access = std::get_if<Access>(&one.node)) this->access(*access);
    if (const auto* operate = std::get_if<Operate>(&one.node)) {
      parts_.insert(Name::operation_costs);
      if (operate->source) parts_.insert(Name::operand_latency);
    }
    const auto* chase = std::get_if<Chase>(&one.node);
    if (!chase) return;
    const auto array = std::ranges::find(experiment_.arrays, chase->array, &Array::name);
    if (array == experiment_.arrays.end()) return;
    if (array->space == Space::constant) parts_.insert(Name::constant_caches);
    if (array->space == Space::texture) parts_.insert(Name::texture_caches);
    // Without `from` all lanes read one word.
    if (array->space == Space::shared && chase->from) parts_.insert(Name::shared_banks);
  }

  void access(const Access& access) {
    // Its words may be axes: whether one of their values asks.
    const auto any = [&](const std::string& axis, bool written, auto&& asks) {
      if (axis.empty()) return written;
      for (const Axis* one : experiment_.sweep.axes())
        if (one->name == axis)
          return std::ranges::any_of(
              one->values, [&](const Value& word) { return asks(std::get<std::string>(word)); });
      return false;
    };
    if (any(access.by.space, access.space == Space::shared,
            [](const std::string& word) { return space_of(word) == Space::shared; }))
      parts_.insert(Name::shared_banks);
    if (any(access.by.kind, access.kind == Access::Kind::atomic,
            [](const std::string& word) { return !access_of(word); }))
      parts_.insert(Name::atomic_contention);
  }

  const Experiment& experiment_;
  std::set<Name> parts_;
};

/// `ptx` statements of which the model makes nothing, each once.
std::vector<std::string> folded(const Experiment& experiment, const std::string& device) {
  std::vector<std::string> warnings;
  for (const Measure& measure : experiment.measures)
    for_each_statement(measure.body, [&](const Statement& one) {
      const auto* operate = std::get_if<Operate>(&one.node);
      if (!operate || !operate->is_ptx) return;
      const auto read = codegen::read_inline_ptx(operate->operation.text, 0);
      if (!read || !read->folds) return;
      std::string text = fmt::format(
          "{} takes no time for \"{}\": its model folds moves and conversions that only widen, as "
          "an assembler can; a GPU may take time for them",
          device, operate->operation.text);
      if (!contains(warnings, text)) warnings.push_back(std::move(text));
    });
  return warnings;
}

}  // namespace

std::vector<std::string> unmodelled(const Experiment& experiment,
                                    const std::vector<LoweredMeasure>& measures,
                                    const Backend& backend) {
  Asked asked(experiment);
  for (const LoweredMeasure& measure : measures)
    if (measure.program.user)
      for (const codegen::Artifact& artifact : measure.artifacts) asked.kernel(artifact);
  std::vector<std::string> warnings;
  for (const ModelPart& part : backend.model_parts())
    if (!part.modelled && asked.parts().contains(part.name))
      warnings.push_back(
          fmt::format("{} does not model {}: {}", backend.info().name, part.label, part.without));
  if (!backend.info().measured)
    std::ranges::move(folded(experiment, backend.info().name), std::back_inserter(warnings));
  return warnings;
}

}  // namespace gpx
