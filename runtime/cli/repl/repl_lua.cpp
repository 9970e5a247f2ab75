// The REPL's :lua. Interface: repl.h.
#include "runtime/cli/interrupt.h"
#include "runtime/cli/repl/repl.h"

namespace gpx::cli {

/// Whether more lines are to follow: `:lua` alone, or a text that is not at its end.
bool Repl::lua_begins(const std::string& text) {
  if (text.empty()) {
    block_ = Block::lua_until_blank;
    first_line_ = line_ + 1;
    return true;
  }
  if (!script_->is_unfinished(text)) return false;
  block_ = Block::lua;
  lines_ = {text};
  return true;
}

/// Gives the script the last run, if it has an earlier one.
bool Repl::set_it() {
  if (!it_is_old_) return true;
  auto set = script_->set("it", last_);
  if (!set) {
    begin_script();
    set = script_->set("it", last_);
    if (set) print(console_.err, "note: Lua's memory was full of earlier runs: it begins anew\n");
  }
  if (!set) fail_with(set.error());
  it_is_old_ = !set;
  return !it_is_old_;
}

void Repl::lua(const std::string& text) {
  if (text.find_first_not_of(" \t\n") == std::string::npos) return;
  const InterruptGuard interrupt;
  script_options_.device = options_.device;
  if (!set_it()) return;
  if (const auto done = script_->run(Source("<lua>", text)); !done) fail_with(done.error());
}

}  // namespace gpx::cli
