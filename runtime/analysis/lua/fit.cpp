// Lines and levels for analysis scripts: what a curve is made of.
//
// Student's distribution is Boost.Math's. Interface: lua_api.h; documented in docs/analysis.md.
// Covered by tests/runtime/lua_fit_test.cpp.
#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "runtime/analysis/lua/api.h"
#include "runtime/analysis/lua/fields.h"

namespace gpx {
namespace {

using Numbers = std::vector<double>;

struct Line {
  double intercept = 0, slope = 0, squares = 0, mean_x = 0, spread_x = 0;
};

Line line_through(const Numbers& x, const Numbers& y) {
  const double count = static_cast<double>(x.size());
  Line line;
  double mean_y = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    line.mean_x += x[i] / count;
    mean_y += y[i] / count;
  }
  double product = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    line.spread_x += (x[i] - line.mean_x) * (x[i] - line.mean_x);
    product += (x[i] - line.mean_x) * (y[i] - mean_y);
  }
  line.slope = line.spread_x > 0 ? product / line.spread_x : 0;
  line.intercept = mean_y - line.slope * line.mean_x;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double residual = y[i] - line.intercept - line.slope * x[i];
    line.squares += residual * residual;
  }
  return line;
}

void set_number(lua_State* state, const char* name, double value) {
  lua_pushnumber(state, value);
  lua_setfield(state, -2, name);
}

/// How many standard errors an interval of this confidence reaches to each side.
double reach(lua_State* state, int index, double freedom) {
  const double confidence = luaL_checknumber(state, index);
  if (!(confidence > 0 && confidence < 1)) luaL_error(state, "a confidence lies between 0 and 1");
  if (freedom < 1) luaL_error(state, "an interval needs at least 3 points");
  return boost::math::quantile(boost::math::students_t(freedom), 0.5 + confidence / 2);
}

int fit_line(lua_State* state) {
  const Numbers x = numbers_at(state, 1, 2);
  const Numbers y = numbers_at(state, 2, 2);
  if (x.size() != y.size()) return luaL_error(state, "x and y differ in length");
  const Line line = line_through(x, y);
  const double count = static_cast<double>(x.size()), freedom = count - 2;
  const double sigma = freedom > 0 ? std::sqrt(line.squares / freedom) : 0;
  const bool sloped = line.spread_x > 0;
  const double slope_error = sloped ? sigma / std::sqrt(line.spread_x) : 0;
  const double intercept_error =
      sloped ? sigma * std::sqrt(1 / count + line.mean_x * line.mean_x / line.spread_x) : 0;
  const bool interval = !lua_isnoneornil(state, 3);
  const double errors = interval ? reach(state, 3, freedom) : 0;
  lua_createtable(state, 0, 10);
  set_number(state, "intercept", line.intercept);
  set_number(state, "slope", line.slope);
  set_number(state, "sigma", sigma);
  set_number(state, "squares", line.squares);
  set_number(state, "slope_error", slope_error);
  set_number(state, "intercept_error", intercept_error);
  if (!interval) return 1;
  set_number(state, "slope_low", line.slope - errors * slope_error);
  set_number(state, "slope_high", line.slope + errors * slope_error);
  set_number(state, "intercept_low", line.intercept - errors * intercept_error);
  set_number(state, "intercept_high", line.intercept + errors * intercept_error);
  return 1;
}

/// Sums from which the squares about the mean of any stretch follow. The values are taken from
/// their first, so that nothing is lost where they are large and close together.
class Stretches {
 public:
  explicit Stretches(const Numbers& values) : sums_(1), squares_(1) {
    for (const double value : values) {
      const double shifted = value - values.front();
      sums_.push_back(sums_.back() + shifted);
      squares_.push_back(squares_.back() + shifted * shifted);
    }
  }
  /// Of the values [first, end).
  double squares(std::size_t first, std::size_t end) const {
    const double sum = sums_[end] - sums_[first];
    const double about_mean =
        squares_[end] - squares_[first] - sum * sum / static_cast<double>(end - first);
    return std::max(0.0, about_mean);
  }

 private:
  Numbers sums_, squares_;
};

/// Where the levels begin: the split with the least squares plus `price` for each level, no level
/// shorter than `least` (optimal partitioning, Jackson 2005).
std::vector<std::size_t> split(const Numbers& values, double price, std::size_t least) {
  const Stretches stretches(values);
  const std::size_t count = values.size();
  Numbers best(count + 1, std::numeric_limits<double>::infinity());
  std::vector<std::size_t> from(count + 1, 0);
  best[0] = 0;
  for (std::size_t end = least; end <= count; ++end) {
    for (std::size_t first = 0; first + least <= end; ++first) {
      const double cost = best[first] + stretches.squares(first, end) + price;
      if (cost < best[end]) {
        best[end] = cost;
        from[end] = first;
      }
    }
  }
  std::vector<std::size_t> begins;
  for (std::size_t end = count; end > 0; end = from[end]) begins.push_back(from[end]);
  std::reverse(begins.begin(), begins.end());
  return begins;
}

double median_of(Numbers values) {
  const std::size_t half = values.size() / 2;
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(half));
  const double upper = values[half];
  if (values.size() % 2 == 1) return upper;
  return (upper +
          *std::max_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(half))) /
         2;
}

/// The scatter of one value about its level: a difference of neighbours has twice its variance, and
/// the few that cross a step do not move the median.
double scatter_of(const Numbers& values) {
  Numbers differences;
  for (std::size_t i = 0; i + 1 < values.size(); ++i)
    differences.push_back(std::fabs(values[i + 1] - values[i]));
  return 1.4826 * median_of(std::move(differences)) / std::sqrt(2.0);
}

/// Each value's median with its two neighbours: a single outlier goes, and a step stays where it
/// is.
Numbers without_outliers(const Numbers& values) {
  if (values.size() < 3) return values;
  Numbers smooth(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t first = std::min(i > 0 ? i - 1 : 0, values.size() - 3);
    smooth[i] = median_of({values[first], values[first + 1], values[first + 2]});
  }
  return smooth;
}

/// stats.levels(values, step, least): see docs/analysis.md.
int levels(lua_State* state) {
  const Numbers values = numbers_at(state, 1, 2);
  const double step = luaL_checknumber(state, 2);
  const lua_Integer least = luaL_optinteger(state, 3, 2);
  if (!(step > 0)) return luaL_error(state, "the smallest step that counts is more than 0");
  if (least < 1) return luaL_error(state, "a level has at least one value");
  const double count = static_cast<double>(values.size());
  LuaSandbox::of(state).charge(state, count * count / 8);
  const auto shortest = std::min<std::size_t>(static_cast<std::size_t>(least), values.size());
  // A step of height h between two levels of n values saves n h^2 / 2 squares. Noise saves up to
  // about 2 log(count) variances wherever a step may lie: three times that keeps it out.
  const double noise = scatter_of(values);
  const double price = std::max(6 * noise * noise * std::log(count),
                                static_cast<double>(shortest) * step * step / 2);
  const std::vector<std::size_t> begins =
      split(least > 1 ? without_outliers(values) : values, price, shortest);
  push_list(state, begins.size(), [&](std::size_t i) {
    const std::size_t end = i + 1 < begins.size() ? begins[i + 1] : values.size();
    const auto at = values.begin();
    lua_createtable(state, 0, 3);
    set_number(state, "level",
               median_of(Numbers(at + static_cast<std::ptrdiff_t>(begins[i]),
                                 at + static_cast<std::ptrdiff_t>(end))));
    lua_pushinteger(state, static_cast<lua_Integer>(begins[i] + 1));
    lua_setfield(state, -2, "first");
    lua_pushinteger(state, static_cast<lua_Integer>(end));
    lua_setfield(state, -2, "last");
  });
  return 1;
}

}  // namespace

void open_fit(lua_State* state) {
  lua_pushcfunction(state, &lua_guarded<fit_line>);
  lua_setglobal(state, "fit_line");
  lua_getglobal(state, "stats");
  lua_pushcfunction(state, &lua_guarded<levels>);
  lua_setfield(state, -2, "levels");
  lua_pop(state, 1);
}

}  // namespace gpx
