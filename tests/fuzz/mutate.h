// How libFuzzer's inputs are changed: see mutate.cpp.
#pragma once

#include <string>

namespace gpx::fuzz {

/// An input that was taken: later ones are made of it, too.
void keep(const std::string& input);

}  // namespace gpx::fuzz
