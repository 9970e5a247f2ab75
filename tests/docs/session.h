// A reader's session: a scratch folder with what a checkout has, one shell, and the commands of one
// document in order. Interface: run_commands(). Covered by tests/docs/document_test.cpp and by
// every document.
#pragma once

#include <string>
#include <vector>

#include "tests/docs/document.h"

namespace gpx::docs {

struct Ran {
  const Command* command = nullptr;
  int status = 0;
  std::vector<std::string> output;
};

/// A step is a file that the document shows, or a command.
struct Step {
  std::string file;  ///< Empty: a command.
  std::string text;
  const Command* command = nullptr;
};

/// Runs the steps one after another. Fewer results than commands: the shell ended early.
std::vector<Ran> run_steps(const std::vector<Step>& steps);

}  // namespace gpx::docs
