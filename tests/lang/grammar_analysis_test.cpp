// PEGTL's own analysis of the grammar: can a rule loop for ever without consuming anything? Each
// rule that looks at the text itself says here whether it consumes.
#include <doctest/doctest.h>

#include <tao/pegtl/contrib/analyze.hpp>

#include "lang/grammar_rules.h"

namespace rules = gpx::grammar::rules;

namespace tao::pegtl {

template <typename Name>
struct analyze_traits<Name, rules::gap> : analyze_opt_traits<> {};
template <typename Name>
struct analyze_traits<Name, rules::wide_gap> : analyze_opt_traits<> {};
template <typename Name>
struct analyze_traits<Name, rules::comma_end> : analyze_opt_traits<> {};
template <typename Name>
struct analyze_traits<Name, rules::separators> : analyze_opt_traits<> {};
template <typename Name>
struct analyze_traits<Name, rules::statement_ahead> : analyze_opt_traits<> {};
template <typename Name>
struct analyze_traits<Name, rules::region_ahead> : analyze_opt_traits<> {};
template <typename Name>
struct analyze_traits<Name, rules::pair_ahead> : analyze_opt_traits<> {};
template <typename Name>
struct analyze_traits<Name, rules::operation_ahead> : analyze_opt_traits<> {};
template <typename Name>
struct analyze_traits<Name, rules::access_ahead> : analyze_opt_traits<> {};
template <typename Name>
struct analyze_traits<Name, rules::cxx_name> : analyze_any_traits<> {};
template <typename Name>
struct analyze_traits<Name, rules::any_word> : analyze_any_traits<> {};
template <typename Name>
struct analyze_traits<Name, rules::free_word> : analyze_any_traits<> {};
template <typename Name, rules::Spelling Word>
struct analyze_traits<Name, rules::keyword<Word>> : analyze_any_traits<> {};
template <typename Name, bool Brackets, typename Rule>
struct analyze_traits<Name, rules::enclosed<Brackets, Rule>>
    : analyze_traits<Name, typename seq<Rule>::rule_t> {};
template <typename Name, gpx::grammar::Resume resume, typename Rule>
struct analyze_traits<Name, rules::recovering<resume, Rule>>
    : analyze_traits<Name, typename seq<Rule>::rule_t> {};

}  // namespace tao::pegtl

TEST_CASE("no rule of the grammar can loop without consuming") {
  CHECK(tao::pegtl::analyze<rules::file>() == 0);
  CHECK(tao::pegtl::analyze<rules::value_file>() == 0);
}
