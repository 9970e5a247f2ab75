// The rows of what can be observed, and what follows from them.
#include "lang/observe.h"

#include <doctest/doctest.h>

#include <set>

#include "lang/language.h"
#include "lang/vocabulary.h"

using namespace gpx;

namespace {

/// The message for a line with this region, or "".
std::string message_of(const std::string& observe, const std::string& region) {
  const Source source("<test>", "array a : shared[256B] chase(stride 4B) observe " + observe +
                                    " < " + region + " >\n");
  const auto ast = parse(source);
  REQUIRE(ast);
  const auto checked = check(*ast, source);
  return checked ? "" : checked.error().diagnostics.front().message;
}

}  // namespace

TEST_CASE("each observation is a row with a name, a help and columns of its own") {
  CHECK(observations().size() == kObserveNames.size());
  std::set<std::string> names;
  for (std::size_t i = 0; i < observations().size(); ++i) {
    const ObserveTraits& row = observations()[i];
    INFO(row.name);
    CHECK(names.insert(row.name).second);
    CHECK(row.name == kObserveNames[i]);
    CHECK(static_cast<std::size_t>(row.observe) == i);
    CHECK(observe_of(row.name) == row.observe);
    CHECK(to_string(row.observe) == row.name);
    CHECK_FALSE(row.columns.empty());
    CHECK((row.clocked || row.keys.empty()));
    std::set<std::string> columns;
    for (const ObservedColumn& column : row.columns) {
      CHECK(columns.insert(column.name).second);
      CHECK(observed_column(column.name)->unit == column.unit);
      CHECK(is_column(column.name));
    }
    for (const ObservedKey& key : row.keys) {
      CHECK(columns.insert(key.name).second);
      CHECK(record_key(key.name)->has_labels() == key.has_labels());
    }
  }
}

TEST_CASE("an observation's words are in the vocabulary, each once") {
  const std::vector<std::string> observed = names_of(TermKind::observed);
  REQUIRE(observed.size() == kObserveNames.size() + 1);
  CHECK(observed.back() == "neighbour_variance");
  for (std::size_t i = 0; i < kObserveNames.size(); ++i) CHECK(observed[i] == kObserveNames[i]);
  std::set<std::string> columns;
  for (const std::string& name : names_of(TermKind::column))
    CHECK_MESSAGE(columns.insert(name).second, name);
  for (const char* name : {"access", "index", "clock", "sm", "statement"})
    CHECK(columns.contains(name));
  CHECK(std::string(find_term("observe")->syntax).starts_with("observe latency|time|energy|each"));
}

TEST_CASE("what a launch writes follows from the row") {
  CHECK(traits_of(Observe::latency).result_slots() == 1);
  CHECK(traits_of(Observe::average).result_slots() == 1);
  CHECK(traits_of(Observe::time).result_slots() == 0);  // The grid's time is no word.
  CHECK(traits_of(Observe::each).result_slots() == 0);  // A row for each access.
  CHECK(traits_of(Observe::timeline).result_slots() == 0);
  CHECK(traits_of(Observe::issue).result_slots() == 0);
  CHECK(traits_of(Observe::each).has_key(Extent::accesses));
  CHECK_FALSE(traits_of(Observe::average).has_key(Extent::accesses));
  CHECK(observation_names(false).ends_with(" or " + std::string(kObserveNames.back())));
  CHECK(observation_names(true).find("time,") == std::string::npos);
}

TEST_CASE("a region must hold what the row needs") {
  std::string many = "sync";
  for (int i = 0; i < 32; ++i) many += "; sync";
  const char* one_load = "needs one load of an array, and nothing else";
  const struct {
    const char *observe, *region, *message;
  } rows[] = {
      {"latency", "", ""},
      {"time", "", ""},
      {"issue", "", "the region is empty: only its latency and its time can be observed"},
      {"each", "load a x8 chain", ""},
      {"each", "load a x8 chain; sync", one_load},
      {"average", "add.u32 x8", one_load},
      {"average", "load a x8 chain; load a x8 chain", one_load},
      {"timeline", "sync", "needs a stamp in the region"},
      {"timeline", "stamp; sync", ""},
      {"latency", "stamp", "a stamp is seen only where a timeline is observed"},
      {"issue", "add.u32; load unique(128B); sync; code 512B", ""},
      {"issue", "load a x8 chain", "needs 1 to 32 statements"},
      {"issue", "add.u32; stamp", "needs 1 to 32 statements"},
      {"issue", "when lane == 0 { sync }", "needs 1 to 32 statements"},
      {"issue", many.c_str(), "needs 1 to 32 statements"},
  };
  for (const auto& row : rows) {
    INFO(row.observe << " < " << row.region << " >");
    const std::string message = message_of(row.observe, row.region);
    CHECK(message.empty() == (*row.message == '\0'));
    CHECK(message.find(row.message) != std::string::npos);
  }
}
