// The PTX of a warpgroup's products (lang/warpgroup.h), with the tiles that they read.
//
// Both tiles lie in shared memory as fast libraries lay them out: K-major, in rows of 128 bytes,
// swizzled over 128 bytes, so that no bank is asked twice at once. All executions read the first
// 32 bytes of each row (of B's of a sparse product 64). Tiles, descriptors and the registers of A
// are ready before the region, which holds
//
//   wgmma.fence    N x wgmma.mma_async    wgmma.commit_group    wgmma.wait_group 0
//
// or, of `.wait`, commit and wait behind each product. Covered by tests/codegen/warpgroup_test.cpp.
#pragma once

#include <cstdint>
#include <string>

#include "codegen/ir/operation.h"
#include "lang/warpgroup.h"

namespace gpx::codegen {

/// nullptr where the rule has none of that name.
const Operation* find_warpgroup_operation(std::string_view name);

Expansion expand(const WarpgroupProduct& product, std::uint32_t count, std::uint32_t streams,
                 const std::string& prefix, OperandData data);

/// A step of the region in the machine code of a kernel's products.
enum class WarpgroupStep : char { arrive = 'A', product = 'P', wait = 'W' };
/// Of all products of the kernel, in order; empty: it has none.
std::string warpgroup_steps(const Kernel& kernel);

}  // namespace gpx::codegen
