// Defined order: what Lua leaves to addresses and to a random seed, fixed for every script.
//
// pairs and next go over a table by its keys: numbers, ascending; texts, by their bytes; false and
// true; then tables, functions and the like in the order in which they were made. tostring, print
// and string.format call these "table: 1" and so on, as they first ask. table.sort takes the same
// steps each time, also among equal elements. Covered by tests/runtime/lua_order_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <lua.hpp>

namespace gpx {

/// Replaces pairs, next, tostring and table.sort of the libraries that are open, and
/// names their functions: "function: string.rep".
void define_order(lua_State* state);

/// Pushes what tostring gives for the value at `index`. May call a metamethod.
void push_defined_text(lua_State* state, int index);

/// The arguments of string.format are in the frame: those of %s and %p that have an address become
/// their names. Before the library's own function.
void name_format_arguments(lua_State* state);

/// Pushes a list of the keys of the table at `index`, in the defined order.
void push_ordered_keys(lua_State* state, int index);

/// table.sort: Lua's own steps, none of them by the clock.
int ordered_sort(lua_State* state);

/// malloc and realloc for Lua: each new block gets the next number, which an object keeps for life.
void* allocate_numbered(void* block, std::size_t bytes, std::uint64_t& count);
void free_numbered(void* block);

}  // namespace gpx
