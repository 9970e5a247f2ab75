// API: the messages of docs/serve.md, each a function from a request to a response.
// Covered by tests/serve/serve_test.py.
#pragma once

#include <atomic>

#include "runtime/paths.h"
#include "runtime/serve/http.h"
#include "runtime/serve/language.h"
#include "runtime/serve/notebook.h"

namespace gpx::serve {

class Api {
 public:
  Api(Notebook& notebook, Paths paths, const std::atomic<bool>& stopped);

  /// 404 for what is none of its messages; errors as {"error": {"message", "hint"}} with 400 for
  /// what the request has wrong and 500 for the machine.
  Response answer(const Request& request);

 private:
  struct Route;
  static const std::vector<Route>& routes();

  // api.cpp: the document and its runs.
  Response state(const Request& request);
  Response save(const Json& body);
  Response devices(const Json& body);
  lsp::Position position(const Json& body) const;

  // api_results.cpp
  Response result(const Request& request);
  Response runs(const Request& request);
  Response diff(const Json& body);
  Response export_page(const Request& request);

  // api_code.cpp
  Response explain(const Json& body);
  Response trace(const Json& body);
  Response sass(const Json& body);
  Response predict(const Json& body);
  Response launch(const Json& body);
  /// Either the end of the process, or the response that reports its failure.
  /// `cell`: whose program it reads; nullptr: none.
  tl::expected<JobEnd, Response> call(Job job, const std::string& what, const Cell* cell);
  Response called(Job job, const std::string& what, const Json& more, const Cell* cell = nullptr);

  // api_files.cpp
  Response file(const Request& request);
  Response save_file(const Json& body);
  Response gallery(const Request& request);
  Response take_from_gallery(const Json& body);

  Notebook& notebook_;
  Paths paths_;
  Language language_;
  const std::atomic<bool>& stopped_;
  std::atomic<int> calls_{0};  ///< Short processes that run.
};

/// A kernel's or a script's path below the folder: a page has no business with any other file.
Result<std::string> editable_path(const std::string& folder, const std::string& path);

/// A part of the query; "": it has none of this name.
std::string query_text(const Request& request, const char* name);
/// A list of texts; throws lsp::Refused.
std::vector<std::string> texts_field(const Json& json, const char* name);
Response json_response(const Json& json, int status = 200);
Response error_response(const Error& error);

}  // namespace gpx::serve
