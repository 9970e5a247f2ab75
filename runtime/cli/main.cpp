#include "runtime/cli/command.h"

int main(int argc, char** argv) {
  gpx::cli::Console console = gpx::cli::make_console(stdin, stdout, stderr);
  console.program = "/proc/self/exe";
  return gpx::cli::gpx_main({argv + 1, argv + argc}, console);
}
