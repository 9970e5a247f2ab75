// Interface: serve.h.
#include "runtime/serve/serve.h"

#include <fmt/format.h>

#include <filesystem>

#include "lang/try.h"
#include "runtime/report/html.h"
#include "runtime/serve/api.h"
#include "runtime/serve/assets.h"
#include "runtime/serve/guard.h"

namespace gpx::serve {
namespace {

struct Asset {
  const char *path, *type;
  std::string_view text;
};

const std::vector<Asset>& asset_list() {
  constexpr const char *kScript = "text/javascript; charset=utf-8",
                       *kStyle = "text/css; charset=utf-8";
  const report::PageAssets report = report::page_assets();
  static const std::vector<Asset> all = {{"/page.js", kScript, assets::page_js},
                                         {"/api.js", kScript, assets::api_js},
                                         {"/cells.js", kScript, assets::cells_js},
                                         {"/language.js", kScript, assets::language_js},
                                         {"/results.js", kScript, assets::results_js},
                                         {"/menus.js", kScript, assets::menus_js},
                                         {"/compare.js", kScript, assets::compare_js},
                                         {"/places.js", kScript, assets::places_js},
                                         {"/bank_note.js", kScript, assets::bank_note_js},
                                         {"/listings.js", kScript, assets::listings_js},
                                         {"/deleted.js", kScript, assets::deleted_js},
                                         {"/trace.js", kScript, assets::trace_js},
                                         {"/predict.js", kScript, assets::predict_js},
                                         {"/code.js", kScript, assets::code_js},
                                         {"/kernels.js", kScript, assets::kernels_js},
                                         {"/page.css", kStyle, assets::css},
                                         {"/editor.js", kScript, assets::editor_js},
                                         {"/report.js", kScript, report.js},
                                         {"/report.css", kStyle, report.css},
                                         {"/uplot.js", kScript, report.uplot_js},
                                         {"/uplot.css", kStyle, report.uplot_css}};
  return all;
}

std::string licences() {
  return fmt::format("CodeMirror 6 and the packages that it needs\n\n{}\nuPlot\n\n{}\n",
                     assets::editor_license, report::page_assets().uplot_license);
}

std::string page_with(const std::string& nonce) {
  constexpr std::string_view kNonce = "{{nonce}}";
  std::string page(assets::page);
  return page.replace(page.find(kNonce), kNonce.size(), nonce);
}

Response asset(const Request& request, const std::string& nonce) {
  if (request.path == "/") return {200, "text/html; charset=utf-8", page_with(nonce)};
  if (request.path == "/licences.txt") return {200, "text/plain; charset=utf-8", licences()};
  for (const Asset& one : asset_list())
    if (request.path == one.path) return {200, one.type, std::string(one.text)};
  return {404, "text/plain", "there is nothing here\n"};
}

Response answer(const Request& request, const Guard& guard, Api& api) {
  const std::string nonce = new_token();
  Response response;
  if (const auto refusal = guard.refusal(request))
    response = *refusal;
  else
    response = request.path.starts_with("/api/") ? api.answer(request) : asset(request, nonce);
  for (auto& field : security_headers(nonce)) response.headers.push_back(std::move(field));
  return response;
}

}  // namespace

Result<void> serve(const ServeOptions& options,
                   const std::function<void(const std::string&)>& ready,
                   const std::atomic<bool>& stopped) {
  const ScratchFolder unstored("store");
  std::error_code error;
  NotebookSettings settings;
  settings.file = std::filesystem::absolute(options.file, error).lexically_normal().string();
  settings.store = options.store.empty() ? unstored.file("gpx.db") : options.store;
  settings.program = options.paths.program;
  settings.devices = options.devices;
  HttpServer http;
  const auto port = GPX_TRY(http.listen(options.address, options.port));
  Notebook notebook(std::move(settings));
  GPX_TRY(notebook.open());
  Api api(notebook, options.paths, stopped);
  const Guard guard(new_token(), options.address, port);
  ready(guard.url());
  http.serve([&](const Request& request) { return answer(request, guard, api); }, {}, stopped);
  return {};
}

}  // namespace gpx::serve
