// Interface: stages.h. Covered by tests/runtime/pipeline_test.cpp.
#include "runtime/measure/stages.h"

namespace gpx {

const std::vector<std::string>& dump_stages() {
  static const std::vector<std::string> stages = {"ast",   "experiment", "program", "kernel",
                                                  "cuda",  "ptx",        "sass",    "stats",
                                                  "trace", "samples",    "probes",  "findings"};
  return stages;
}

}  // namespace gpx
