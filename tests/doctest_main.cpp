#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdlib>

int main(int argc, char** argv) {
  // What a test runs is not the user's: no run is kept but where the test names a store.
  ::setenv("GPX_STORE", "", 1);
  return doctest::Context(argc, argv).run();
}
