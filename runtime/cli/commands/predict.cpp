// gpx predict: the time of a user's kernel, with reasons. Covered by
// tests/cli/predict_command_test.cpp.
#include "runtime/predict/predict.h"

#include <algorithm>

#include "lang/try.h"
#include "runtime/cli/command.h"
#include "runtime/cli/output/files.h"
#include "runtime/report/prediction.h"

namespace gpx::cli {
namespace {

struct PredictCommand : Talk {
  PredictRequest request;
  std::vector<std::string> saved;
  std::string json, report;

  void take(CommandLine& line);
  Result<int> run(const Console& console) const;
};

void PredictCommand::take(CommandLine& line) {
  line.argument("FILE", request.file, "The kernel's file").required().completes(Values::kernels);
  line.option("--entry", request.entry, "NAME", "The kernel's function").required();
  const auto extent = [&](const char* name, std::vector<std::string>& to, const char* help) {
    line.option(name, to, "X[,Y[,Z]]", help).required().comma_separated().count(1, 3);
  };
  extent("--grid", request.grid, "Blocks");
  extent("--block", request.block, "Threads of a block");
  line.option("--arg", request.arguments, "NAME=VALUE",
              "A scalar argument, or a struct by value: 'p=struct(i32(2000), buffer(4MB))'")
      .one_each();
  line.option(
          "--buffer", request.buffers, "NAME=SIZE[:CONTENTS]",
          "A pointer argument: hash, zero, index, index(STEP), uniform(A, B), permutation(SEED), a "
          "number, or a file (.npy, .raw, .bin)")
      .one_each();
  line.option("--after", request.after, "LAUNCH",
              "A launch that comes before, as in a loop, as CUDA writes it: 'fill<<<64, 256>>>(x, "
              "1024)'; buffers are named as in --buffer, or NAME=buffer(4MB)")
      .one_each();
  line.option("--machine", request.machine, "NAME=NUMBER",
              "A parameter of the model in place of the fitted one: Mem_LD, Mem_Bandwidth, …")
      .one_each();
  line.option("--define,-D", request.defines, "NAME=VALUE",
              "A macro of the kernel's file; 1 without =VALUE")
      .one_each();
  line.option("--include,-I", request.includes, "DIR",
              "Another folder that the kernel's file may include from")
      .one_each();
  line.option("--shared", request.shared_bytes, "BYTES", "Dynamic shared memory of a block");
  line.option("--registers", request.registers, "N", "Registers of a thread");
  line.option("--device", request.device, "NAME", "auto, cuda, cuda:1, a virtual device's name, …")
      .completes(Values::devices);
  line.option("--expect", request.expects, "CONDITION",
              "What a buffer must hold after one launch: 'buffer(out) == \"reference.npy\" within "
              "1e-5', 'checksum(out) == 0x…'")
      .one_each();
  line.option("--reference", request.reference, "FILE:ENTRY",
              "A reference with the same arguments: every buffer must be equal");
  line.option("--within", request.within, "TOLERANCE",
              "Tolerance of --reference, absolute and relative");
  line.option("--save", saved, "BUFFER=FILE",
              "Write what a buffer holds after one launch: .npy, .raw")
      .one_each();
  line.option("--model", request.model, "NAME",
              "mwp_cwp or simulation, the default for devices with caches");
  line.option("--twin", request.twin, "FILE",
              "The device file that stands for a real GPU in a simulation");
  line.flag("--what-if", request.what_if,
            "Also simulate changed machines and launches: bandwidth, hits, conflicts, occupancy, "
            "block size");
  line.flag("--measure", request.measure, "Also run the kernel, and show the error");
  take_whole(line, request.all_blocks);
  line.flag("--fit", request.fit_anew, "Fit the model to the device again");
  line.flag("--quiet,-q", quiet, "No report and no notes");
  take_json(line, json, "Write the prediction as JSON; - is standard output");
  line.option("--report", report, "PATH",
              "Write a page: clocks by line of the source and by instruction");
}

Result<int> PredictCommand::run(const Console& console) const {
  PredictRequest wanted = request;
  wanted.on_fit = [&] {
    if (!quiet)
      print(console.err, "fitting the model to this device: once, for all later predictions\n");
  };
  for (const std::string& text : saved) {
    auto parsed = GPX_TRY(parse_saved(text));
    wanted.saved.push_back(std::move(parsed));
  }
  Paths paths = session_paths(console.program);
  paths.includes = request.includes;
  Session session(std::move(paths));
  const auto prediction = GPX_TRY(predict(session, wanted));
  const bool to_stdout = json == "-";
  if (!json.empty()) {
    const std::string text = report::prediction_json(prediction);
    if (to_stdout)
      print(console.out, text);
    else
      GPX_TRY(write_file(json, text));
  }
  if (!report.empty()) GPX_TRY(write_file(report, report::prediction_html(prediction)));
  if (!to_stdout && !quiet)
    print(console.out, report::prediction_text(prediction, console.out_style));
  const bool hold = std::ranges::all_of(prediction.expectations, &ExpectationResult::pass);
  return hold ? kSuccess : kExpectationFailed;
}

}  // namespace

CommandRow predict_command() {
  return command_row<PredictCommand>(20, "predict",
                                     "Predict the time of a CUDA kernel, with reasons");
}

}  // namespace gpx::cli
