#include "runtime/cli/commands.h"

int main(int argc, char** argv) {
  return gpx::cli::gpx_main({argv + 1, argv + argc}, gpx::cli::make_console(stdin, stdout, stderr));
}
