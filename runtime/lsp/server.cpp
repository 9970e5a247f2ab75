// JSON-RPC and the documents that are open. Interface: server.h; covered by
// tests/lsp/server_test.cpp.
#include "runtime/lsp/server.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "codegen/files/files.h"
#include "runtime/lsp/messages.h"
#include "runtime/lsp/uri.h"

namespace gpx::lsp {

class Server::State {
 public:
  explicit State(Library library) : library_(std::move(library)) {}

  std::vector<std::string> receive(const std::string& text) {
    out_.clear();
    if (is_too_deep(text)) {
      send_error(nullptr, kInvalidRequest, fmt::format("nested deeper than {}", kMostNesting));
      return std::move(out_);
    }
    const Json message = Json::parse(text, nullptr, false);
    if (message.is_discarded())
      send_error(nullptr, kParseError, "the message is not JSON");
    else
      take(message);
    return std::move(out_);
  }

  std::vector<std::string> idle() {
    out_.clear();
    for (const std::string& uri : changed_)
      if (const auto found = documents_.find(uri); found != documents_.end())
        publish(uri, found->second.document.problems(library_.paths), found->second.version);
    changed_.clear();
    return std::move(out_);
  }

  static std::string error_text(const Json& id, Code code, const std::string& message) {
    return text_of({{"jsonrpc", "2.0"},
                    {"id", id},
                    {"error", {{"code", static_cast<int>(code)}, {"message", message}}}});
  }

  bool ended = false;
  bool shut_down = false;

 private:
  struct Open {
    Document document;
    Json version;
  };
  using Request = Json (State::*)(const Json& params);
  using Notification = void (State::*)(const Json& params);

  static const std::map<std::string, Request>& requests() {
    static const std::map<std::string, Request> table = {
        {"initialize", &State::initialize},
        {"shutdown", &State::shutdown},
        {"textDocument/hover", &State::hover},
        {"textDocument/completion", &State::completion},
        {"textDocument/definition", &State::definition},
        {"textDocument/documentSymbol", &State::document_symbol},
        {"textDocument/formatting", &State::formatting},
    };
    return table;
  }
  static const std::map<std::string, Notification>& notifications() {
    static const std::map<std::string, Notification> table = {
        {"textDocument/didOpen", &State::did_open},
        {"textDocument/didChange", &State::did_change},
        {"textDocument/didClose", &State::did_close},
    };
    return table;
  }

  void take(const Json& message) {
    const bool is_id = message.is_object() && message.contains("id") &&
                       (message["id"].is_number() || message["id"].is_string());
    const Json id = is_id ? message["id"] : Json(nullptr);
    if (!message.is_object() || message.value("jsonrpc", Json()) != "2.0")
      return send_error(id, kInvalidRequest, "not a message of JSON-RPC 2.0");
    if (!message.contains("method")) {
      // An answer to a request of ours: there are none, but clients may think so.
      if (message.contains("result") || message.contains("error")) return;
      return send_error(id, kInvalidRequest, "a message without a method");
    }
    if (!message["method"].is_string())
      return send_error(id, kInvalidRequest, "the method is no text");
    if (message.contains("id") && !is_id)
      return send_error(nullptr, kInvalidRequest, "the id is neither a number nor a text");
    const std::string method = message["method"].get<std::string>();
    const Json params = message.contains("params") ? message["params"] : Json(nullptr);
    is_id ? answer(id, method, params) : notice(method, params);
  }

  void answer(const Json& id, const std::string& method, const Json& params) {
    if (!initialized_ && method != "initialize")
      return send_error(id, kNotInitialized, "the first request is 'initialize'");
    if (shut_down) return send_error(id, kInvalidRequest, "the server has been shut down");
    const auto request = requests().find(method);
    if (request == requests().end())
      return send_error(id, kMethodNotFound, fmt::format("there is no method '{}'", method));
    try {
      Json result = (this->*request->second)(params);
      out_.push_back(text_of({{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}}));
    } catch (const Refused& refused) {
      send_error(id, refused.code, refused.message);
    }
  }

  /// Nobody waits for an answer: what is wrong goes to the client's log.
  void notice(const std::string& method, const Json& params) {
    if (method == "exit") {
      ended = true;
      return;
    }
    const auto found = notifications().find(method);
    if (!initialized_ || shut_down || found == notifications().end()) return;
    try {
      (this->*found->second)(params);
    } catch (const Refused& refused) {
      constexpr int error = 1;
      send("window/logMessage",
           {{"type", error}, {"message", fmt::format("{}: {}", method, refused.message)}});
    }
  }

  void send(const std::string& method, Json params) {
    out_.push_back(
        text_of({{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}}));
  }
  void send_error(const Json& id, Code code, const std::string& message) {
    out_.push_back(error_text(id, code, message));
  }
  void publish(const std::string& uri, const std::vector<Problem>& problems, const Json& version) {
    Json list = Json::array();
    for (const Problem& one : problems) list.push_back(to_json(one));
    Json params = {{"uri", uri}};
    if (!version.is_null()) params["version"] = version;
    params["diagnostics"] = std::move(list);
    send("textDocument/publishDiagnostics", std::move(params));
  }

  Open& open_document(const Json& params) {
    const std::string uri = uri_from(params);
    const auto found = documents_.find(uri);
    if (found == documents_.end())
      throw Refused{kInvalidParams, fmt::format("no document '{}' is open", uri)};
    return found->second;
  }

  Json initialize(const Json&) {
    if (initialized_) throw Refused{kInvalidRequest, "'initialize' came before"};
    initialized_ = true;
    return {{"capabilities", capabilities()},
            {"serverInfo", {{"name", "gpx"}, {"version", GPX_VERSION}}}};
  }
  Json shutdown(const Json&) {
    shut_down = true;
    return nullptr;
  }

  void did_open(const Json& params) {
    const Json& document = field(params, "textDocument");
    const std::string uri = text_field(document, "uri");
    documents_.insert_or_assign(
        uri, Open{{path_of_uri(uri), text_field(document, "text")}, version_of(document)});
    changed_.insert(uri);
  }
  static Json version_of(const Json& document) {
    const Json version = document.value("version", Json());
    return version.is_number_integer() ? version : Json();
  }
  /// All changes or none.
  void did_change(const Json& params) {
    Open& open = open_document(params);
    const Json& changes = field(params, "contentChanges");
    if (!changes.is_array()) throw Refused{kInvalidParams, "'contentChanges' is no list"};
    Document after = open.document;
    for (const Json& change : changes) {
      const std::string text = text_field(change, "text");
      if (change.contains("range") && !change["range"].is_null())
        after.replace(range_from(change["range"]), text);
      else
        after.set_text(text);
    }
    open.document = std::move(after);
    open.version = version_of(params["textDocument"]);
    changed_.insert(uri_from(params));
  }
  void did_close(const Json& params) {
    open_document(params);
    const std::string uri = uri_from(params);
    documents_.erase(uri);
    changed_.erase(uri);
    publish(uri, {}, nullptr);
  }

  Json hover(const Json& params) {
    const Document& document = open_document(params).document;
    const auto hover = document.hover(position_from(field(params, "position")), library_);
    if (!hover) return nullptr;
    return {{"contents", {{"kind", "markdown"}, {"value", hover->markdown}}},
            {"range", to_json(hover->range)}};
  }
  Json completion(const Json& params) {
    const Document& document = open_document(params).document;
    const Position position = position_from(field(params, "position"));
    const Range word = document.word_to(position);
    Json items = Json::array();
    for (const Candidate& one : document.completion(position, library_))
      items.push_back(to_json(one, word));
    return {{"isIncomplete", false}, {"items", std::move(items)}};
  }
  Json definition(const Json& params) {
    const Document& document = open_document(params).document;
    const auto target = document.definition(position_from(field(params, "position")), library_);
    if (!target || is_embedded(target->path)) return nullptr;  // An editor cannot open it.
    const std::string uri = target->path.empty() ? uri_from(params) : uri_of_path(target->path);
    return {{"uri", uri}, {"range", to_json(target->range)}};
  }
  Json document_symbol(const Json& params) {
    const Document& document = open_document(params).document;
    return symbols(document.declared(), document.text());
  }
  Json formatting(const Json& params) {
    const Document& document = open_document(params).document;
    const auto formatted = document.formatted();
    if (!formatted) return nullptr;
    if (*formatted == document.text().bytes()) return Json::array();
    const auto all = static_cast<std::uint32_t>(document.text().bytes().size());
    return Json::array(
        {{{"range", to_json(document.text().range(Span{0, all}))}, {"newText", *formatted}}});
  }

  Library library_;
  bool initialized_ = false;
  std::map<std::string, Open> documents_;  ///< By URI.
  std::set<std::string> changed_;          ///< Whose problems have not been told.
  std::vector<std::string> out_;
};

Server::Server(Library library) : state_(std::make_unique<State>(std::move(library))) {}
Server::~Server() = default;

std::vector<std::string> Server::receive(const std::string& message) {
  return state_->receive(message);
}

std::string Server::refuse(const std::string& what, bool too_large) const {
  return State::error_text(nullptr, too_large ? kInvalidRequest : kParseError, what);
}

std::vector<std::string> Server::idle() {
  return state_->idle();
}

bool Server::ended() const {
  return state_->ended;
}

int Server::exit_status() const {
  return state_->shut_down ? 0 : 1;
}

}  // namespace gpx::lsp
