// The main function of every test program, and the list of its cases for ctest:
// `test_lang --list-test-cases --reporters=ctest` prints one add_test() for each case, so that
// ctest runs and names cases. tests/CMakeLists.txt has every program print its list when it is
// linked.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "tests/thorough.h"

namespace {

/// A bracket argument of CMake: nothing in it is special.
std::string bracketed(const std::string& text) {
  return "[==[" + text + "]==]";
}

/// doctest splits filters at commas; a backslash takes the next character as it is.
std::string as_filter(const std::string& name) {
  std::string filter;
  for (const char c : name) {
    if (c == ',' || c == '\\') filter += '\\';
    filter += c;
  }
  return filter;
}

/// "lang/ranges_test.cpp"
std::string file_of(const doctest::TestCaseData& test) {
  const std::filesystem::path path = test.m_file.c_str();
  return (path.parent_path().filename() / path.filename()).generic_string();
}

struct CtestReporter : doctest::ConsoleReporter {
  using ConsoleReporter::ConsoleReporter;

  /// The script sets $program and $cost before it includes this text.
  void report_query(const doctest::QueryData& query) override {
    for (unsigned i = 0; i < query.num_data; ++i) {
      const doctest::TestCaseData& test = *query.data[i];
      const std::string name = file_of(test) + ": " + test.m_name;
      add(test, name, "");
      if (std::string_view(test.m_test_suite) != gpx::test::kSamples) continue;
      s << "if(CTEST_CONFIGURATION_TYPE STREQUAL \"Thorough\")\n";
      add(test, name + " (all)", " ENVIRONMENT GPX_THOROUGH=1");
      s << "endif()\n";
    }
  }

 private:
  void add(const doctest::TestCaseData& test, const std::string& name, const char* more) {
    s << "add_test(" << bracketed(name) << " \"${program}\" "
      << bracketed("--source-file=*/" + as_filter(file_of(test))) << ' '
      << bracketed("--test-case=" + as_filter(test.m_name)) << ")\n"
      << "set_tests_properties(" << bracketed(name)
      << " PROPERTIES COST \"${cost}\" LABELS \"${room}\""
      << " FAIL_REGULAR_EXPRESSION \"test cases: +0 \""
      << " SKIP_REGULAR_EXPRESSION \"left out: it needs \"" << more << ")\n";
  }
};

REGISTER_REPORTER("ctest", 0, CtestReporter);

}  // namespace

int main(int argc, char** argv) {
  // What a test runs is not the user's: no run is kept but where the test names a store.
  ::setenv("GPX_STORE", "", 1);
  return doctest::Context(argc, argv).run();
}
