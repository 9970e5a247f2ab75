// Fuzz targets: each takes any bytes and says which of gpx's promises they break.
//
// A crash, a hang, a leak or an undefined operation is the sanitizers' to find; what a target
// returns is the rest: a text that does not read back as it was written, an error without a place.
// ./dev fuzz runs them; corpus_test.cpp runs the corpus through each of them.
#pragma once

#include <string>

namespace gpx::fuzz {

/// Set by a target whose reader took the input rather than refused it: what came so far is worth
/// changing further (mutate.cpp).
inline bool taken = false;

/// The broken promise; "" where there is none.
std::string grammar(const std::string& input);  ///< Experiments: parse, check, format, print.
std::string ptx(const std::string& input);      ///< PTX: parse, then a few instructions.
std::string device(const std::string& input);   ///< Device files.
std::string store(const std::string& input);    ///< Documents that gpx import takes.
std::string lsp(const std::string& input);      ///< A language client's bytes.
std::string lua(const std::string& input);      ///< Analysis scripts, with samples and a device.
std::string report(const std::string& input);   ///< Documents that gpx report and plot take.
std::string kernel(const std::string& input);   ///< Kernels' files, around the compiler.
std::string sass(const std::string& input);     ///< Machine words.

}  // namespace gpx::fuzz
