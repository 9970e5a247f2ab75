#include "runtime/script/lua_plot.h"

#include <unistd.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "runtime/analysis/lua/fields.h"
#include "runtime/report/gnuplot.h"
#include "runtime/report/plot.h"
#include "runtime/report/svg.h"
#include "runtime/report/tikz.h"

namespace gpx::script {
namespace {

constexpr int kMostCurves = 24;
const std::vector<std::string> kPlotFields = {"x",    "y",      "x_unit", "y_unit", "logx",
                                              "logy", "curves", "format", "title"};
const std::vector<std::string> kCurveFields = {"label", "x", "y"};

std::string text_field(lua_State* state, int index, const char* name) {
  lua_getfield(state, index, name);
  const bool given = !lua_isnil(state, -1);
  if (given && lua_type(state, -1) != LUA_TSTRING)
    luaL_error(state, "plot: '%s' must be a text", name);
  std::string text = given ? lua_tostring(state, -1) : "";
  lua_pop(state, 1);
  return text;
}

bool truth_field(lua_State* state, const char* name) {
  lua_getfield(state, 1, name);
  const bool truth = lua_toboolean(state, -1) != 0;
  lua_pop(state, 1);
  return truth;
}

std::vector<double> list_field(lua_State* state, int index, const char* name) {
  if (lua_getfield(state, index, name) != LUA_TTABLE)
    luaL_error(state, "plot: a curve has a list '%s'", name);
  std::vector<double> values = numbers_at(state, lua_gettop(state), 1);
  lua_pop(state, 1);
  return values;
}

std::optional<std::string> as_picture(const report::Picture& picture, const std::string& format) {
  if (format == "svg") return report::to_svg(picture);
  if (format == "tikz") return report::to_tikz(picture);
  if (format == "gnuplot") return report::to_gnuplot(picture, report::PictureFormat::gnuplot);
  return std::nullopt;
}

/// The curve at the top of the stack, its points in ascending order of x.
report::Curve curve_at_top(lua_State* state) {
  luaL_checktype(state, -1, LUA_TTABLE);
  const int index = lua_gettop(state);
  only_fields(state, index, "plot: a curve", kCurveFields);
  const std::vector<double> x = list_field(state, index, "x"), y = list_field(state, index, "y");
  if (x.size() != y.size()) luaL_error(state, "plot: x and y differ in length");
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return x[i]; });
  report::Curve curve;
  curve.label = text_field(state, index, "label");
  for (const std::size_t i : order) {
    curve.x.push_back(x[i]);
    curve.y.push_back(y[i]);
  }
  LuaSandbox::of(state).charge(state, static_cast<double>(x.size()) * 50);
  return curve;
}

}  // namespace

int plot(lua_State* state) {
  luaL_checktype(state, 1, LUA_TTABLE);
  only_fields(state, 1, "plot", kPlotFields);
  report::Figure figure;
  report::Panel panel;
  figure.x_name = text_field(state, 1, "x");
  figure.x_unit = text_field(state, 1, "x_unit");
  figure.log_x = truth_field(state, "logx");
  panel.name = text_field(state, 1, "y");
  panel.unit = text_field(state, 1, "y_unit");
  panel.log = truth_field(state, "logy");
  if (lua_getfield(state, 1, "curves") != LUA_TTABLE)
    return luaL_error(state, "plot: 'curves' must be a list of {label, x, y}");
  const auto count = static_cast<lua_Integer>(lua_rawlen(state, -1));
  if (count < 1 || count > kMostCurves)
    return luaL_error(state, "plot: 1 to %d curves can be drawn", kMostCurves);
  for (lua_Integer i = 1; i <= count; ++i) {
    lua_rawgeti(state, -1, i);
    panel.curves.push_back(curve_at_top(state));
    lua_pop(state, 1);
  }
  figure.panels.push_back(std::move(panel));
  const std::string format = text_field(state, 1, "format");
  if (!format.empty() && format != "text") {
    const report::Picture picture{std::move(figure), {}, {}, text_field(state, 1, "title"), {}};
    const auto text = as_picture(picture, format);
    if (!text) return luaL_error(state, "plot: 'format' is text, svg, gnuplot or tikz");
    lua_pushlstring(state, text->data(), text->size());
    return 1;
  }
  report::Style style = report::style_of(STDOUT_FILENO);
  style.colour = false;
  lua_pushstring(state, report::draw(figure, style).c_str());
  return 1;
}

}  // namespace gpx::script
