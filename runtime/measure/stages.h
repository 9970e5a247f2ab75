// Stages: the text that each stage of the pipeline hands on, for whoever asked to see it.
//
// A new stage is a row of dump_stages() and one call of a Dump, where the stage's text is at hand.
// Covered by tests/runtime/pipeline_test.cpp.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace gpx {

/// The stages that `--dump` can show, in the pipeline's order.
const std::vector<std::string>& dump_stages();

using OnDump = std::function<void(const std::string& stage, const std::string& text)>;

/// Shows a stage where it is wanted; a text is made only then. By default nothing is.
class Dump {
 public:
  Dump() = default;
  /// Both must outlive it.
  Dump(const std::set<std::string>& wanted, const OnDump& show) : wanted_(&wanted), show_(&show) {}

  template <typename Text>
  void operator()(const char* stage, Text&& text) const {
    if (wanted_ && *show_ && wanted_->contains(stage)) (*show_)(stage, std::forward<Text>(text)());
  }

 private:
  const std::set<std::string>* wanted_ = nullptr;
  const OnDump* show_ = nullptr;
};

}  // namespace gpx
