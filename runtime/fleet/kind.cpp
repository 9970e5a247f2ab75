#include "runtime/fleet/kind.h"

#include <regex>
#include <vector>

namespace gpx::fleet {
namespace {

struct KindRow {
  Kind kind;
  std::regex name, unit;
};

const std::vector<KindRow>& kind_rows() {
  static const std::vector<KindRow> rows = {
#define GPX_KIND(text, of_name, of_unit, part, sense, run, board, loading, freedom) \
  {{text, Part::part, Sense::sense, run / 100.0, board / 100.0, loading, freedom},  \
   std::regex(of_name, std::regex::optimize),                                       \
   std::regex(of_unit, std::regex::optimize)},
#include "runtime/fleet/kinds.def"
#undef GPX_KIND
  };
  return rows;
}

}  // namespace

std::string_view to_string(Part part) {
  switch (part) {
    case Part::pipes: return "the pipes of an SM";
    case Part::compute: return "arithmetic per second";
    case Part::shared: return "shared memory";
    case Part::l1: return "L1";
    case Part::constants: return "constants and code";
    case Part::l2: return "L2";
    case Part::memory: return "DRAM";
    case Part::walks: return "page walks";
    case Part::link: return "the link to a peer";
    case Part::clock: return "clocks";
    case Part::power: return "power";
    case Part::structure: return "structure";
    case Part::units: return "number of SMs";
  }
  return "";
}

const Kind& kind_of(const std::string& name, const std::string& unit) {
  const std::vector<KindRow>& rows = kind_rows();
  for (const KindRow& row : rows)
    if (std::regex_search(name, row.name) && std::regex_match(unit, row.unit)) return row.kind;
  return rows.back().kind;
}

std::string_view direction(const Kind& kind, bool above) {
  switch (kind.sense) {
    case Sense::time: return above ? "slower" : "faster";
    case Sense::rate: return above ? "faster" : "slower";
    case Sense::quantity: return above ? "higher" : "lower";
  }
  return "";
}

}  // namespace gpx::fleet
