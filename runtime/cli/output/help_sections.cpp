#include "runtime/cli/output/help_sections.h"

namespace gpx::cli {

const std::vector<HelpSection>& help_sections() {
  static const std::vector<HelpSection> sections = {
      {"Exit status",
       "  0    every expectation that applies holds\n"
       "  1    an expectation fails, files would change (fmt --check), something differs (diff)\n"
       "  2    the input is wrong\n"
       "  3    a device or a tool failed\n"
       "  130  stopped by Ctrl-C; what was measured is kept\n"},
      {"Environment",
       "  GPX_STORE        the store of runs; empty: none\n"
       "  GPX_STDLIB       the folder of devices and analyses, in place of the installed one\n"
       "  GPX_CACHE_DIR    where compiled kernels are kept (~/.cache/gpx); GPX_CACHE=off: nowhere\n"
       "  GPX_NVRTC        the NVRTC library to be loaded; off: none\n"
       "  GPX_CLANG        the clang that compiles for virtual devices where there is no NVRTC\n"
       "  GPX_LIBCUDA      the driver's library to be loaded\n"
       "  GPX_WATCHDOG     seconds after which a launch on a real GPU has hung\n"
       "  XDG_DATA_HOME    where the user's store lies (~/.local/share)\n"
       "  XDG_STATE_HOME   where the history of the REPL lies (~/.local/state)\n"
       "  NO_COLOR         if it is not empty: no colours\n"
       "  COLUMNS          the width of reports where there is no terminal\n"},
  };
  return sections;
}

}  // namespace gpx::cli
