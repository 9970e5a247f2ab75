// From arguments to a command.
#include "runtime/cli/command.h"

#include <poll.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "runtime/device/isolated/server.h"
#include "runtime/device/select.h"

namespace gpx::cli {
namespace {

/// Of a pipe that nobody reads any more.
bool reader_is_gone(std::FILE* stream) {
  pollfd pipe{::fileno(stream), POLLOUT, 0};
  return ::poll(&pipe, 1, 0) == 1 && (pipe.revents & POLLERR) != 0;
}

}  // namespace

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
  const bool written = std::fflush(console.out) == 0 && !std::ferror(console.out);
  if (!written && reader_is_gone(console.out)) return status == kSuccess ? kReaderGone : status;
  if (!written)
    return print_error(console, make_error(Fault::device, std::string("cannot write the output: ") +
                                                              std::strerror(errno)));
  return status;
}

}  // namespace gpx::cli
