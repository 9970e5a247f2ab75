// Atomic accesses: lang/atomics.h.
#include "lang/atomics.h"

#include <doctest/doctest.h>

#include <set>

#include "lang/language.h"
#include "lang/operations.h"

using namespace gpx;

namespace {

Result<std::vector<Experiment>> run(const std::string& text) {
  const Source source("t", text);
  const auto ast = parse(source);
  if (!ast) return tl::unexpected<Error>(ast.error());
  return check(*ast, source);
}

const Access& access_of(const Experiment& experiment) {
  return std::get<Access>(experiment.measures[0].body.at(0).node);
}

}  // namespace

TEST_CASE("each atomic has a name of its own, and none is an operation's") {
  std::set<std::string> names;
  for (const AtomicName& one : atomic_names()) {
    CAPTURE(one.name);
    CHECK(names.insert(one.name).second);
    CHECK(find_atomic(one.name) == &one);
    CHECK_FALSE(is_operation(one.name));
    CHECK(one.name.starts_with(one.returns ? "atom." : "red."));
    CHECK(run("< " + one.name + " same x2 >"));
    CHECK(run("< " + one.name + " shared stride(8B) >"));
  }
  CHECK_FALSE(find_atomic("red.cas.b32"));
  CHECK_FALSE(find_atomic("atom.and.u32"));
}

TEST_CASE("the instruction of an atomic names its space, and halves are not flushed") {
  CHECK(find_atomic("atom.add.u32")->ptx("global") == "atom.global.add.u32");
  CHECK(find_atomic("red.min.s64")->ptx("shared") == "red.shared.min.s64");
  CHECK(find_atomic("red.add.f16x2")->ptx("global") == "red.global.add.noftz.f16x2");
}

TEST_CASE("an atomic is an access with the width of its type") {
  const auto experiments = run("< atom.cas.b64 shared stride(8B) x16 chain >");
  REQUIRE(experiments);
  const Access& access = access_of(experiments->at(0));
  CHECK(access.kind == Access::Kind::atomic);
  CHECK(access.operation == "atom.cas.b64");
  CHECK(access.space == Space::shared);
  CHECK(access.width.quantity == Quantity{8, Unit::byte});
  CHECK(access.chained);
}

TEST_CASE("words of an access may be axes") {
  const auto experiments =
      run("experiment e { sweep how in [load, store], where in [global, shared],"
          " p in [unique, stride], op in [cg, cs]\n < how where p(128B) x2 > }");
  REQUIRE(experiments);
  const Experiment& e = experiments->at(0);
  const Access& access = access_of(e);
  CHECK(access.by.kind == "how");
  CHECK(access.by.space == "where");
  CHECK(access.by.pattern == "p");
  const auto values = e.sweep.at(14);  // store, shared, stride, cg
  const Access now = resolved(access, e.scope(values));
  CHECK(now.kind == Access::Kind::store);
  CHECK(now.space == Space::shared);
  CHECK(now.pattern.name == "stride");
}
