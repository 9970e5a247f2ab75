// PTX rewritten so that it means the same.
#pragma once

#include <cstdint>
#include <string>

namespace gpx::random_kernels {

/// Registers have other names, and the basic blocks of each function stand in another order: each
/// ends in a branch to the one that followed it. The first stays first.
std::string rewritten(const std::string& ptx, std::uint64_t seed);

}  // namespace gpx::random_kernels
