// Whether the note of a finding `sets` tells the planted set function. Covered by
// tests/bench/recover_test.cpp.
#pragma once

#include <optional>
#include <string>

#include "tests/bench/random_device.h"

namespace gpx::bench {

/// "parities of address bits 7+16, 8", "address bits 7^16, 8", "line number modulo 48": whether it
/// is the planted one, over as many bits as the cache's capacity has at least. nullopt: the note
/// has no function.
std::optional<bool> tells(const std::string& note, const SetFunction& planted);

/// "7+16, 8" of parities; "modulo 48".
std::string text_of(const SetFunction& planted);

}  // namespace gpx::bench
