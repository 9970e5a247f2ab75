// gpx serve: an experiment file as a live page. Covered by tests/serve/serve_test.py.
#include "runtime/serve/serve.h"

#include <fmt/format.h>

#include "lang/try.h"
#include "runtime/cli/command.h"
#include "runtime/cli/interrupt.h"
#include "runtime/cli/output/files.h"
#include "runtime/cli/several/device_list.h"
#include "runtime/store/place.h"

namespace gpx::cli {
namespace {

struct ServeCommand : Talk {
  std::string file = "page.gpx", device = "auto", host = "127.0.0.1";
  std::uint64_t port = 0;
  StoreOptions store;

  void take(CommandLine& line) {
    line.argument("FILE", file, "The experiment file, created when something is written")
        .shows_default()
        .completes(Values::experiments);
    line.option("--device", device, "NAME,...",
                "The devices that cells run on; the page can change them")
        .shows_default()
        .completes(Values::devices);
    line.option("--port", port, "N", "0: any free port").shows_default();
    line.option("--host", host, "ADDRESS",
                "The address to listen on; any but 127.0.0.1 admits other machines")
        .shows_default();
    store.take_writing(line);
  }
  Result<int> run(const Console& console) const;
};

Result<int> ServeCommand::run(const Console& console) const {
  constexpr std::uint64_t kMostPort = 65535;
  if (port > kMostPort) return fail(Fault::input, fmt::format("{} is no port", port));
  const auto devices = GPX_TRY(several_devices(device, find_paths()));
  serve::ServeOptions options{file, host,    static_cast<std::uint16_t>(port),
                              {},   devices, session_paths(console.program)};
  if (options.devices.empty()) options.devices.push_back(device);
  if (!store.no_store) options.store = store::find_place(store.store).path;
  const InterruptGuard interrupt;
  GPX_TRY(serve::serve(
      options,
      [&](const std::string& url) {
        print(console.out, fmt::format("{}\n", url));
        std::fflush(console.out);
        if (!quiet)
          print(console.err, "Open this address in a browser. Ctrl-C stops the server.\n");
      },
      interrupt.flag()));
  return kSuccess;
}

}  // namespace

CommandRow serve_command() {
  return command_row<ServeCommand>(187, "serve", "Show an experiment file as a live page");
}

}  // namespace gpx::cli
