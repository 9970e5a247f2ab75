// Two modes are told as two, with their places; one mode, outliers and three modes are not.
#include <doctest/doctest.h>

#include "inference_model.h"

using namespace gpx;
using namespace gpx::testing;

TEST_CASE("two modes are told from one, from outliers and from three") {
  Experiment experiment;
  Analyze statement;
  statement.method = "lua_modes_test.lua";
  statement.is_file = true;
  experiment.analyses = {statement};
  const AnalysisPaths paths{GPX_SOURCE_DIR "/stdlib", GPX_SOURCE_DIR "/tests/runtime"};
  auto result = analyze(experiment, Samples{}, plain_device(), paths, nullptr, nullptr);
  if (!result) FAIL(render(result.error()));
  const auto share = [&](const char* name) {
    for (const Finding& finding : result->findings)
      if (finding.name == name) return std::get<double>(finding.value);
    FAIL(name);
    return -1.0;
  };
  CHECK(share("two") >= 0.97);  // An outlier between the modes may hide them.
  CHECK(share("uneven") >= 0.99);
  CHECK(share("one") == 0);
  CHECK(share("rare") == 0);
  CHECK(share("three") == 0);
}
