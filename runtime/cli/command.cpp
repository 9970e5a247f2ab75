// From arguments to a command.
#include "runtime/cli/command.h"

#include <cerrno>
#include <cstring>

#include "runtime/device/isolated/server.h"
#include "runtime/device/select.h"

namespace gpx::cli {

int gpx_main(const std::vector<std::string>& arguments, const Console& console) {
  // Not a command for people: gpx starts itself so.
  if (arguments.size() == 2 && arguments[0] == kServeDevice)
    return serve_device([&] { return open_device(arguments[1]); });
  const Result<ParsedLine> line = parse_line(command_rows(), arguments);
  if (!line) return print_error(console, line.error());
  if (line->command.empty() && !console.in_is_terminal)
    return print_error(console, make_error(Fault::input, "no command given",
                                           "gpx --help; 'gpx repl' reads lines from a pipe"));
  Console with_arguments = console;
  with_arguments.arguments = arguments;
  const int status = line->run(with_arguments);
  if (std::fflush(console.out) != 0 || std::ferror(console.out))
    return print_error(console, make_error(Fault::device, std::string("cannot write the output: ") +
                                                              std::strerror(errno)));
  return status;
}

}  // namespace gpx::cli
