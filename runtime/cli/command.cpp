// From arguments to a command.
#include "runtime/cli/command.h"

#include <fcntl.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "runtime/child_process.h"
#include "runtime/device/isolated/server.h"
#include "runtime/device/select.h"

namespace gpx::cli {
namespace {

/// Of a pipe that nobody reads any more.
bool reader_is_gone(std::FILE* stream) {
  pollfd pipe{::fileno(stream), POLLOUT, 0};
  return ::poll(&pipe, 1, 0) == 1 && (pipe.revents & POLLERR) != 0;
}

/// Without the options of sbatch behind `gpx fleet submit FILE --`, which the command takes from
/// Console::arguments.
std::vector<std::string> own_words(const std::vector<std::string>& arguments) {
  const bool has_others =
      arguments.size() > 2 && arguments[0] == "fleet" && arguments[1] == "submit";
  const auto end = has_others ? std::ranges::find(arguments, "--") : arguments.end();
  return {arguments.begin(), end};
}

/// `kept`: the line as the store keeps it.
int run_line(const std::vector<std::string>& arguments, const std::vector<std::string>& kept,
             const Console& console) {
  const Result<ParsedLine> line = parse_line(command_rows(), own_words(arguments));
  if (!line) return print_error(console, line.error());
  if (line->command.empty() && !console.in_is_terminal)
    return print_error(console, make_error(Fault::input, "no command given",
                                           "gpx --help; 'gpx repl' reads lines from a pipe"));
  Console with_arguments = console;
  with_arguments.arguments = kept;
  const int status = line->run(with_arguments);
  const bool written = std::fflush(console.out) == 0 && !std::ferror(console.out);
  if (!written && reader_is_gone(console.out)) return status == kSuccess ? kReaderGone : status;
  if (!written)
    return print_error(console, make_error(Fault::device, std::string("cannot write the output: ") +
                                                              std::strerror(errno)));
  return status;
}

/// For one of several devices: the results go to a document, the progress to a pipe, and neither is
/// part of what the store keeps of the line.
int run_one(const std::vector<std::string>& arguments, const Console& console) {
  const std::vector<std::string> kept(arguments.begin() + 2, arguments.end());
  std::vector<std::string> line = kept;
  line.insert(line.begin() + 1, {"--json", arguments[1], "--quiet"});
  ::fcntl(kProgressDescriptor, F_SETFD, FD_CLOEXEC);
  Console with_progress = console;
  with_progress.progress = ::fdopen(kProgressDescriptor, "w");
  return run_line(line, kept, with_progress);
}

/// The line, by a process that another one ends at the time limit.
int run_watched_one(const std::vector<std::string>& arguments, const Console& console) {
  const std::vector<std::string> line(arguments.begin() + 1, arguments.end());
  ::fcntl(kProgressDescriptor, F_SETFD, FD_CLOEXEC);
  Console watched = console;
  watched.watched = true;
  return run_line(line, line, watched);
}

}  // namespace

int gpx_main(const std::vector<std::string>& arguments, const Console& console) {
  if (arguments.size() > 2 && arguments[0] == kOneOfSeveral) return run_one(arguments, console);
  if (arguments.size() > 1 && arguments[0] == kWatched) return run_watched_one(arguments, console);
  // Not a command for people: gpx starts itself so.
  if (arguments.size() == 2 && arguments[0] == kServeDevice)
    return serve_device([&] { return open_device(arguments[1]); });
  if (arguments.size() == 2)
    for (const CommandRow& row : command_rows())
      if (row.own && row.own_word == arguments[0]) return row.own(console, arguments[1]);
  return run_line(arguments, arguments, console);
}

}  // namespace gpx::cli
