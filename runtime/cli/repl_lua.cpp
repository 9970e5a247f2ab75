// The REPL's :lua. Interface: repl.h.
#include "runtime/cli/interrupt.h"
#include "runtime/cli/repl.h"

namespace gpx::cli {

/// Whether more lines are to follow: `:lua` alone, or a text that is not at its end.
bool Repl::lua_begins(const std::string& text) {
  if (text.empty()) {
    block_ = Block::lua_until_blank;
    return true;
  }
  if (!script_.is_unfinished(text)) return false;
  block_ = Block::lua;
  lines_ = {text};
  return true;
}

void Repl::lua(const std::string& text) {
  if (text.find_first_not_of(" \t\n") == std::string::npos) return;
  const InterruptGuard interrupt;
  script_options_.device = options_.device;
  if (it_is_old_) {
    if (const auto set = script_.set("it", last_); !set) return fail_with(set.error());
    it_is_old_ = false;
  }
  if (const auto done = script_.run(Source("<lua>", text)); !done) fail_with(done.error());
}

}  // namespace gpx::cli
