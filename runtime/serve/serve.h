// Serve: the page of one document, until it is stopped. Covered by tests/serve/serve_test.py and,
// in a browser, by tests/browser/serve_test.py.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "lang/diagnostic.h"
#include "runtime/paths.h"

namespace gpx::serve {

struct ServeOptions {
  std::string file;                   ///< The document; it need not exist.
  std::string address = "127.0.0.1";  ///< Others than this machine's own are reachable by others.
  std::uint16_t port = 0;             ///< 0: any.
  std::string store;                  ///< A path; empty: results are gone with the server.
  std::vector<std::string> devices;
  Paths paths;  ///< With Paths::program.
};

/// `ready` gets the page's URL, with its token. Errors: the document or the address.
Result<void> serve(const ServeOptions& options,
                   const std::function<void(const std::string&)>& ready,
                   const std::atomic<bool>& stopped);

}  // namespace gpx::serve
