// Interface: architecture.h.
#include "codegen/compile/architecture.h"

#include <fmt/format.h>

#include <charconv>

namespace gpx::codegen {

Result<Target> read_architecture(const std::string& whole) {
  std::string_view text = whole;
  Target target{Target::Form::cubin, 0};
  if (text.starts_with("sm_")) text.remove_prefix(3);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), target.sm);
  const std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (error != std::errc{} || (!rest.empty() && rest != "a"))
    return fail(Fault::input, fmt::format("'{}' is no architecture", whole),
                "sm_75, sm_80, sm_86, sm_89, sm_90, sm_90a, sm_100 or sm_120");
  target.specific = rest == "a";
  return target;
}

}  // namespace gpx::codegen
