// Pairs of made boards, compared. Interface: made_boards.h.
#include <algorithm>

#include "made_boards.h"
#include "runtime/fleet/compare.h"

namespace gpx::test {
namespace {

using namespace gpx::fleet;

/// A latency or a rate of the model, at random.
Planted planted_of(const BoardModel& model, Plant plant, std::mt19937_64& random) {
  Planted planted;
  planted.plant = plant;
  if (plant != Plant::finding) return planted;
  std::vector<std::pair<std::string, std::string>> all;
  std::size_t at = 0;
  for (std::size_t i = 0; i < model.characterization(); ++i) {
    const ExperimentResult& result = model.experiments()[i];
    for (const Finding& finding : result.findings) {
      const Kind& kind = *model.kinds()[at++];
      const bool counts = kind.sense != Sense::quantity && kind.part != Part::clock &&
                          kind.name != "difference of latencies";
      if (counts && std::holds_alternative<double>(finding.value))
        all.emplace_back(result.experiment.name, finding.name);
    }
  }
  std::tie(planted.experiment, planted.name) =
      all[std::uniform_int_distribution<std::size_t>(0, all.size() - 1)(random)];
  if (random() % 2) planted.size = 1 / (1 + planted.size) - 1;
  return planted;
}

const Judged* judged_of(const Fleet& fleet, const Likeness& likeness, const Planted& planted) {
  for (const Judged& each : likeness.judged)
    if (fleet.findings[each.finding].experiment == planted.experiment &&
        fleet.findings[each.finding].name == planted.name)
      return &each;
  return nullptr;
}

bool is_found(const Judged* judged, const Planted& planted) {
  return judged && judged->standing == (planted.size > 0 ? Standing::above : Standing::below);
}

}  // namespace

PairRates pair_rates(const BoardModel& model, Plant plant, int pairs, int runs, int peers,
                     std::uint64_t seed, double misfit) {
  PairRates rates;
  rates.pairs = pairs;
  for (int pair = 0; pair < pairs; ++pair) {
    std::mt19937_64 random(seed * 1000003 + static_cast<std::uint64_t>(pair));
    const Planted planted = planted_of(model, plant, random);
    BoardMaker maker(model, random(), misfit);
    Gathering gathering;
    maker.add(gathering, "GPU-0", runs, planted);
    for (int peer = 0; peer < peers; ++peer)
      maker.add(gathering, "GPU-" + std::to_string(peer + 1), runs, {});
    const Fleet fleet = gathering.take();
    const std::vector<Likeness> all = compare(fleet, {});
    const Likeness& own = all.front();
    rates.alarms += std::ranges::any_of(all, &Likeness::stands_out);
    Part part = Part::structure;
    bool found = own.stands_out();
    if (plant == Plant::finding) {
      const Judged* judged = judged_of(fleet, own, planted);
      found = is_found(judged, planted);
      if (judged) {
        const Kind& kind = *fleet.findings[judged->finding].kind;
        part = kind.part;
        auto& count = rates.by_kind[std::string(kind.name)];
        ++count.first;
        count.second += found;
      }
    }
    rates.found += found;
    rates.cause += found && std::ranges::any_of(own.causes, [&](const Likeness::Cause& cause) {
                     return cause.name == cause_of(planted, part);
                   });
  }
  return rates;
}

}  // namespace gpx::test
