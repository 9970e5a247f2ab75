// The table of targets. Interface: targets.h.
#include "targets.h"

namespace gpx::fuzz {

const std::vector<Target>& targets() {
  static const std::vector<Target> table = {
      {"grammar", grammar, {"experiments", "tests/lang/golden"}},
      {"ptx", ptx, {}},
      {"device", device, {"stdlib/devices"}},
      {"store", store, {}},
      {"lsp", lsp, {"tests/lsp/golden"}},
  };
  return table;
}

}  // namespace gpx::fuzz
