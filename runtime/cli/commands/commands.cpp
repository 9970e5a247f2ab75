// Dispatch: from arguments to a command. Covered by tests/cli/commands_test.cpp.
#include "runtime/cli/commands/commands.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "runtime/device/isolated/server.h"
#include "runtime/device/select.h"

namespace gpx::cli {
namespace {

int help_command(const Options& options, const Console& console) {
  print(console.out, options.text);
  return kSuccess;
}

int version_command(const Options&, const Console& console) {
  print(console.out, "gpx " GPX_VERSION "\n");
  return kSuccess;
}

int dispatch(const Options& options, const Console& console) {
  switch (options.command) {
    case Command::run:
      return run_command(options, console);
    case Command::predict:
      return predict_command(options, console);
    case Command::characterize:
      return characterize_command(options, console);
    case Command::report:
      return report_command(options, console);
    case Command::plot:
      return plot_command(options, console);
    case Command::explain:
      return explain_command(options, console);
    case Command::check:
      return check_command(options, console);
    case Command::fmt:
      return fmt_command(options, console);
    case Command::list:
      return list_command(options, console);
    case Command::runs:
      return runs_command(options, console);
    case Command::show:
      return show_command(options, console);
    case Command::diff:
      return diff_command(options, console);
    case Command::export_run:
      return export_command(options, console);
    case Command::import_run:
      return import_command(options, console);
    case Command::rerun:
      return rerun_command(options, console);
    case Command::resume:
      return resume_command(options, console);
    case Command::lua:
      return lua_command(options, console);
    case Command::repl:
      return repl_command(options, console);
    case Command::lsp:
      return lsp_command(options, console);
    case Command::devices:
      return devices_command(options, console);
    case Command::doctor:
      return doctor_command(options, console);
    case Command::completions:
      return completions_command(options, console);
    case Command::man:
      return man_command(options, console);
    case Command::version:
      return version_command(options, console);
    case Command::help:
      return help_command(options, console);
  }
  return kInputWrong;
}

}  // namespace

Console make_console(std::FILE* in, std::FILE* out, std::FILE* err) {
  Console console{in,
                  out,
                  err,
                  report::style_of(fileno(out)),
                  report::style_of(fileno(err)),
                  isatty(fileno(in)) == 1,
                  isatty(fileno(out)) == 1,
                  isatty(fileno(err)) == 1};
  return console;
}

void print(std::FILE* stream, const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stream);
}

int print_error(const Console& console, const Error& error) {
  std::fflush(console.out);
  print(console.err, render(error, console.err_style.colour));
  return static_cast<int>(error.fault);
}

int gpx_main(const std::vector<std::string>& arguments, const Console& console) {
  // Not a command for people: gpx starts itself so.
  if (arguments.size() == 2 && arguments[0] == kServeDevice)
    return serve_device([&] { return open_device(arguments[1]); });
  const Result<Options> options = parse_options(arguments);
  if (!options) return print_error(console, options.error());
  if (options->command == Command::repl && !options->command_given && !console.in_is_terminal)
    return print_error(console, make_error(Fault::input, "no command given",
                                           "gpx --help; 'gpx repl' reads lines from a pipe"));
  Console with_arguments = console;
  with_arguments.arguments = arguments;
  const int status = dispatch(*options, with_arguments);
  if (std::fflush(console.out) != 0 || std::ferror(console.out))
    return print_error(console, make_error(Fault::device, std::string("cannot write the output: ") +
                                                              std::strerror(errno)));
  return status;
}

}  // namespace gpx::cli
