// Paths that pass by their meeting point. Interface: paths.h. Covered by
// tests/vgpu/lanes_test.cpp.
#include "runtime/device/vgpu/exec/paths.h"

namespace gpx::vgpu::exec {

bool join_outer_path(Warp& warp) {
  auto& stack = warp.stack;
  const Path top = stack.back();
  if (top.call) return false;
  for (std::size_t k = stack.size() - 1; k-- > 0;) {
    if (stack[k].pc == top.pc && (top.mask & ~stack[k].mask) == 0) {
      for (std::size_t between = k + 1; between + 1 < stack.size(); ++between)
        stack[between].mask &= ~top.mask;
      return true;
    }
    if (stack[k].call) return false;
  }
  return false;
}

bool let_others_go_first(Warp& warp, Mask missing) {
  constexpr std::uint32_t kMostTries = 64;
  auto& stack = warp.stack;
  if (stack.back().call || ++warp.stalled > kMostTries) return false;
  for (std::size_t k = stack.size() - 1; k-- > 0;) {
    const Mask lanes = stack[k].mask & missing;
    if (lanes != 0 && stack[k].pc >= 0) {
      Path path = stack[k];
      path.mask = lanes;
      path.call = false;
      path.passes_by = true;
      stack[k].mask &= ~lanes;
      --stack.back().pc;
      stack.push_back(path);
      return true;
    }
    if (stack[k].call) return false;
  }
  return false;
}

Mask take_up_lanes(Warp& warp, Mask missing) {
  auto& stack = warp.stack;
  Path& top = stack.back();
  Mask found = 0;
  std::size_t first = stack.size() - 1;  // Of the frame.
  while (first > 0 && !stack[first].call) {
    const Path& path = stack[--first];
    const Mask lanes = path.mask & missing & ~found;
    if (path.pc == top.pc - 1) found |= lanes;
    missing &= ~path.mask;
  }
  // They wait from now on where the path's own lanes do, and nowhere else.
  const Mask own = top.mask;
  if (found == 0) return 0;
  for (std::size_t k = first; k < stack.size(); ++k) {
    if ((own & ~stack[k].mask) == 0)
      stack[k].mask |= found;
    else
      stack[k].mask &= ~found;
  }
  return found;
}

}  // namespace gpx::vgpu::exec
