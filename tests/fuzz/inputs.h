// What the targets begin with: good inputs made of the experiments, goldens and devices that there
// are anyway, and the words that make up an input. Used by fuzz_inputs and corpus_test.cpp.
#pragma once

#include <string>
#include <vector>

namespace gpx::fuzz {

struct Input {
  std::string name, bytes;
};

/// Beside corpus/TARGET; none for a target that has all its inputs there.
std::vector<Input> seeds(const std::string& target);
/// The files of corpus/TARGET: small seeds, and what once broke a promise.
std::vector<Input> corpus(const std::string& target);
/// Bytes of the longest input that is made. What costs time is each byte, and what is new is the
/// mixture of constructs, which fits: longer seeds are left to the test of the corpus.
std::size_t longest(const std::string& target);
/// For libFuzzer's dictionary.
std::vector<std::string> words(const std::string& target);

}  // namespace gpx::fuzz
