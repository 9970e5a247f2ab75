// Interface: language.h.
#include "runtime/serve/language.h"

#include "lang/vocabulary.h"

namespace gpx::serve {
namespace {

/// The kinds of words that an editor colours alike.
const char* colour_of(TermKind kind) {
  switch (kind) {
    case TermKind::item:
    case TermKind::statement:
    case TermKind::control: return "keyword";
    case TermKind::access:
    case TermKind::atomic:
    case TermKind::operation: return "operation";
    case TermKind::pattern:
    case TermKind::function: return "function";
    default: return "word";
  }
}

}  // namespace

const lsp::Library& Language::library() {
  const std::lock_guard lock(mutex_);
  if (!library_) library_ = lsp::load_library(paths_);
  return *library_;
}

Json Language::problems(const std::string& text) {
  Json all = Json::array();
  for (const lsp::Problem& one : document(text).problems(paths_)) all.push_back(to_json(one));
  return all;
}

Json Language::completion(const std::string& text, lsp::Position position) {
  const lsp::Document of = document(text);
  const lsp::Range word = of.word_to(position);
  Json all = Json::array();
  for (const lsp::Candidate& one : of.completion(position, library()))
    all.push_back(to_json(one, word));
  return all;
}

Json Language::hover(const std::string& text, lsp::Position position) {
  const auto hover = document(text).hover(position, library());
  if (!hover) return nullptr;
  return {{"markdown", hover->markdown}, {"range", to_json(hover->range)}};
}

Json Language::formatted(const std::string& text) {
  const auto formatted = document(text).formatted();
  return formatted ? Json(*formatted) : Json(nullptr);
}

Json Language::words() {
  Json words = Json::object(), devices = Json::array(), help = Json::array();
  for (const Term& term : vocabulary()) {
    words.emplace(term.name, colour_of(term.kind));
    help.push_back({{"syntax", term.syntax}, {"help", term.help}});
  }
  for (const lsp::LibraryDevice& device : library().devices)
    devices.push_back({{"name", device.name}, {"about", device.about}});
  return {{"words", std::move(words)}, {"devices", std::move(devices)}, {"help", std::move(help)}};
}

}  // namespace gpx::serve
