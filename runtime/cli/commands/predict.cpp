// gpx predict: the time of a user's kernel by the MWP/CWP model. Covered by
// tests/cli/predict_command_test.cpp.
#include "runtime/predict/predict.h"

#include <fmt/format.h>

#include "runtime/cli/commands/commands.h"
#include "runtime/cli/output/files.h"
#include "runtime/report/prediction.h"

namespace gpx::cli {

int predict_command(const Options& options, const Console& console) {
  PredictRequest request = options.predict;
  request.device = options.device;
  request.file = options.files.front();
  request.on_fit = [&] {
    if (!options.quiet)
      print(console.err, "fitting the model to this device: once, for all later predictions\n");
  };
  Paths paths = find_paths();
  paths.program = console.program;
  Session session(std::move(paths));
  const Result<Prediction> prediction = predict(session, request);
  if (!prediction) return print_error(console, prediction.error());
  const bool to_stdout = options.json == "-";
  if (!options.json.empty()) {
    const std::string json = report::prediction_json(*prediction);
    if (to_stdout)
      print(console.out, json);
    else if (const auto written = write_file(options.json, json); !written)
      return print_error(console, written.error());
  }
  if (!to_stdout && !options.quiet)
    print(console.out, report::prediction_text(*prediction, console.out_style));
  return kSuccess;
}

}  // namespace gpx::cli
