// Statistics for analysis scripts, in C++ because they run over every point of a sweep.
// Interface: lua_api.h; documented in docs/analysis.md. Covered by tests/runtime/analysis_test.cpp.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "runtime/analysis/lua/api.h"
#include "runtime/analysis/lua/fields.h"

namespace gpx {
namespace {

using Numbers = std::vector<double>;

template <Reduce how>
int reduced(lua_State* state) {
  lua_pushnumber(state, reduce_values(numbers_at(state, 1, 1), how));
  return 1;
}

/// Linear between the order statistics (type 7 of Hyndman and Fan, 1996).
double quantile_of(Numbers values, double q) {
  std::sort(values.begin(), values.end());
  const double at = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (at - static_cast<double>(below)) * (values[above] - values[below]);
}

int quantile(lua_State* state) {
  const double q = luaL_checknumber(state, 2);
  if (!(q >= 0 && q <= 1)) return luaL_error(state, "a quantile lies between 0 and 1");
  lua_pushnumber(state, quantile_of(numbers_at(state, 1, 1), q));
  return 1;
}

int mad(lua_State* state) {
  Numbers values = numbers_at(state, 1, 1);
  const double middle = quantile_of(values, 0.5);
  for (double& value : values) value = std::fabs(value - middle);
  lua_pushnumber(state, quantile_of(std::move(values), 0.5));
  return 1;
}

double variance_of(const double* values, std::size_t count) {
  double mean = 0;
  for (std::size_t i = 0; i < count; ++i) mean += values[i] / static_cast<double>(count);
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += (values[i] - mean) * (values[i] - mean);
  return sum / static_cast<double>(count - 1);
}

int variance(lua_State* state) {
  const Numbers values = numbers_at(state, 1, 2);
  lua_pushnumber(state, variance_of(values.data(), values.size()));
  return 1;
}

/// Of each point with its two neighbours (section 3.2 of lashgar2015); NaN at both ends.
int variance3(lua_State* state) {
  const Numbers values = numbers_at(state, 1, 3);
  Numbers out(values.size(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 1; i + 1 < values.size(); ++i) out[i] = variance_of(&values[i - 1], 3);
  push_numbers(state, out);
  return 1;
}

/// The standard deviation of the scatter about a smooth curve, from second differences: a line
/// leaves none of it, and a few steps and outliers do not move a median. For independent errors a
/// second difference has 6 times their variance.
int jitter(lua_State* state) {
  const Numbers values = numbers_at(state, 1, 3);
  Numbers second;
  for (std::size_t i = 1; i + 1 < values.size(); ++i) {
    second.push_back(std::fabs(values[i + 1] - 2 * values[i] + values[i - 1]));
  }
  lua_pushnumber(state, 1.4826 * quantile_of(std::move(second), 0.5) / std::sqrt(6.0));
  return 1;
}

double median_between(const Numbers& values, std::ptrdiff_t first, std::ptrdiff_t last) {
  first = std::max<std::ptrdiff_t>(first, 0);
  last = std::min(last, static_cast<std::ptrdiff_t>(values.size()));
  if (first >= last) return std::numeric_limits<double>::quiet_NaN();
  return quantile_of(Numbers(values.begin() + first, values.begin() + last), 0.5);
}

/// See docs/analysis.md: for each gap between neighbours, how far the level on its right lies above
/// the level on its left, less what the slope around it explains.
int shifts(lua_State* state) {
  const Numbers x = numbers_at(state, 1, 2);
  const Numbers y = numbers_at(state, 2, 2);
  const auto width = static_cast<std::ptrdiff_t>(luaL_optinteger(state, 3, 3));
  if (x.size() != y.size()) return luaL_error(state, "x and y differ in length");
  if (width < 1 || width > 1000) return luaL_error(state, "the window is 1 to 1000 points");
  LuaSandbox::of(state).charge(state, static_cast<double>(x.size()) * 100);
  const auto count = static_cast<std::ptrdiff_t>(x.size());
  Numbers slopes;
  for (std::ptrdiff_t i = 0; i + 1 < count; ++i) {
    slopes.push_back((y[i + 1] - y[i]) / (x[i + 1] - x[i]));
  }
  Numbers heights;
  Numbers used;
  for (std::ptrdiff_t i = 0; i + 1 < count; ++i) {
    const double left = median_between(slopes, i - 8, i);
    const double right = median_between(slopes, i + 1, i + 9);
    // The steeper side: a bend upwards must not look like a step.
    const double slope = std::fmax(0, std::fmax(left, right));
    const double distance =
        median_between(x, i + 1, i + 1 + width) - median_between(x, i + 1 - width, i + 1);
    heights.push_back(median_between(y, i + 1, i + 1 + width) -
                      median_between(y, i + 1 - width, i + 1) - slope * distance);
    used.push_back(slope);
  }
  push_numbers(state, heights);
  push_numbers(state, used);
  return 2;
}

}  // namespace

std::vector<double> numbers_at(lua_State* state, int index, std::size_t least) {
  luaL_checktype(state, index, LUA_TTABLE);
  const lua_Unsigned length = lua_rawlen(state, index);
  if (length < least) {
    luaL_error(state, "needs at least %d numbers, got %d", static_cast<int>(least),
               static_cast<int>(length));
  }
  LuaSandbox::of(state).charge(state, static_cast<double>(length));
  std::vector<double> numbers;
  for (lua_Unsigned i = 1; i <= length; ++i) {
    if (lua_rawgeti(state, index, static_cast<lua_Integer>(i)) != LUA_TNUMBER) {
      luaL_error(state, "element %d is a %s, not a number", static_cast<int>(i),
                 luaL_typename(state, -1));
    }
    numbers.push_back(lua_tonumber(state, -1));
    if (std::isnan(numbers.back())) {
      luaL_error(state, "element %d has no value (NaN); samples:having(name) leaves such rows out",
                 static_cast<int>(i));
    }
    lua_pop(state, 1);
  }
  return numbers;
}

const char* reduce_name(Reduce how) {
  switch (how) {
    case Reduce::harmonic_mean: return "harmonic_mean";
    case Reduce::mean: return "mean";
    case Reduce::median: return "median";
    case Reduce::min: return "min";
    case Reduce::max: return "max";
  }
  return "median";
}

void open_stats(lua_State* state) {
  static constexpr luaL_Reg functions[] = {
      {"mean", &lua_guarded<reduced<Reduce::mean>>},
      {"harmonic_mean", &lua_guarded<reduced<Reduce::harmonic_mean>>},
      {"median", &lua_guarded<reduced<Reduce::median>>},
      {"min", &lua_guarded<reduced<Reduce::min>>},
      {"max", &lua_guarded<reduced<Reduce::max>>},
      {"quantile", &lua_guarded<quantile>},
      {"mad", &lua_guarded<mad>},
      {"variance", &lua_guarded<variance>},
      {"variance3", &lua_guarded<variance3>},
      {"jitter", &lua_guarded<jitter>},
      {"shifts", &lua_guarded<shifts>},
      {nullptr, nullptr}};
  luaL_newlib(state, functions);
  lua_setglobal(state, "stats");
}

}  // namespace gpx
