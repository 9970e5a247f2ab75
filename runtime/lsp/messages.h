// What the server's messages hold: parameters out of JSON, answers into it. Used by server.cpp
// alone. Covered by the sessions in tests/lsp/golden/.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "runtime/lsp/document.h"

namespace gpx::lsp {

using Json = nlohmann::ordered_json;

/// Of JSON-RPC and of the protocol.
enum Code {
  kParseError = -32700,
  kInvalidRequest = -32600,
  kMethodNotFound = -32601,
  kInvalidParams = -32602,
  kNotInitialized = -32002,
};

/// What the functions below throw; State::receive makes an answer of it.
struct Refused {
  Code code;
  std::string message;
};

/// Texts that are no UTF-8 cannot come in, but parts of characters may go out.
std::string text_of(const Json& json);

/// Deeper than any message of the protocol, and shallower than any stack: copying a value recurses.
constexpr int kMostNesting = 100;
bool is_too_deep(const std::string& text);

const Json& field(const Json& json, const char* name);
std::string text_field(const Json& json, const char* name);
Position position_from(const Json& json);
Range range_from(const Json& json);
/// Of params.textDocument.
std::string uri_from(const Json& params);

Json to_json(const Range& range);
Json to_json(const Problem& problem);
/// `word` is what the candidate replaces.
Json to_json(const Candidate& one, const Range& word);
Json symbols(const std::vector<Declaration>& all, const Text& text);
/// What the server can do.
Json capabilities();

}  // namespace gpx::lsp
