// table.sort without a pivot from the clock. Interface: order.h. Covered by
// tests/runtime/lua_order_test.cpp.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "runtime/analysis/lua/order.h"
#include "runtime/analysis/lua/sandbox.h"

namespace gpx {
namespace {

/// Lua's own steps (ltablib.c, quicksort), but with no pivot from the clock. The table is at 1, the
/// order function or nil at 2.
class TableSort {
 public:
  explicit TableSort(lua_State* state) : state_(state) {}

  void run(lua_Integer low, lua_Integer high) {
    while (low < high) {
      order_ends(low, high);
      if (high - low == 1) return;
      const lua_Integer middle = middle_of(low, high);
      order_middle(low, middle, high);
      if (high - low == 2) return;
      get(middle);
      lua_pushvalue(state_, -1);
      get(high - 1);
      set(middle, high - 1);
      const lua_Integer pivot = partition(low, high);
      const lua_Integer least = std::min(pivot - low, high - pivot);
      if (pivot - low < high - pivot) {
        run(low, pivot - 1);
        low = pivot + 1;
      } else {
        run(pivot + 1, high);
        high = pivot - 1;
      }
      if ((high - low) / 128 > least)
        scatter_ = scatter_ * 6364136223846793005u + 1442695040888963407u;
    }
  }

 private:
  void get(lua_Integer i) { lua_geti(state_, 1, i); }
  /// The top goes to i, what is below it to j.
  void set(lua_Integer i, lua_Integer j) {
    lua_seti(state_, 1, i);
    lua_seti(state_, 1, j);
  }
  bool less(int a, int b) {
    if (lua_isnil(state_, 2)) return lua_compare(state_, a, b, LUA_OPLT) != 0;
    lua_pushvalue(state_, 2);
    lua_pushvalue(state_, a - 1);
    lua_pushvalue(state_, b - 2);
    lua_call(state_, 2, 1);
    const bool result = lua_toboolean(state_, -1) != 0;
    lua_pop(state_, 1);
    return result;
  }
  /// Elsewhere in the middle half once the parts have come out too unequal.
  lua_Integer middle_of(lua_Integer low, lua_Integer high) const {
    const lua_Integer quarter = (high - low) / 4;
    if (quarter < 25 || scatter_ == 0) return (low + high) / 2;
    return low + quarter +
           static_cast<lua_Integer>((scatter_ >> 20) % static_cast<std::uint64_t>(2 * quarter));
  }
  void order_ends(lua_Integer low, lua_Integer high) {
    get(low);
    get(high);
    if (less(-1, -2))
      set(low, high);
    else
      lua_pop(state_, 2);
  }
  void order_middle(lua_Integer low, lua_Integer middle, lua_Integer high) {
    get(middle);
    get(low);
    if (less(-2, -1)) return set(middle, low);
    lua_pop(state_, 1);
    get(high);
    if (less(-1, -2)) return set(middle, high);
    lua_pop(state_, 2);
  }
  [[noreturn]] void invalid() {
    luaL_error(state_, "invalid order function for sorting");
    std::abort();  // luaL_error does not return
  }
  lua_Integer partition(lua_Integer low, lua_Integer high) {
    for (lua_Integer i = low, j = high - 1;; set(i, j)) {
      while (get(++i), less(-1, -2)) {
        if (i == high - 1) invalid();
        lua_pop(state_, 1);
      }
      while (get(--j), less(-3, -1)) {
        if (j < i) invalid();
        lua_pop(state_, 1);
      }
      if (j >= i) continue;
      lua_pop(state_, 1);
      set(high - 1, i);
      return i;
    }
  }

  lua_State* state_;
  std::uint64_t scatter_ = 0;
};

}  // namespace

int ordered_sort(lua_State* state) {
  constexpr lua_Integer kMostElements = lua_Integer{1} << 26;
  luaL_checktype(state, 1, LUA_TTABLE);
  const lua_Integer count = luaL_len(state, 1);
  if (count > kMostElements) return luaL_error(state, "the table has too many elements");
  if (!lua_isnoneornil(state, 2)) luaL_checktype(state, 2, LUA_TFUNCTION);
  lua_settop(state, 2);
  const auto elements = static_cast<double>(std::max<lua_Integer>(count, 0));
  LuaSandbox::of(state).charge(state, elements * (std::log2(elements + 2) + 0.125) + 1);
  TableSort(state).run(1, count);
  return 0;
}

}  // namespace gpx
