-- For luacheck (Debian: lua-check), which ./dev check lint runs over stdlib/.
std = "lua54"
max_line_length = false
globals = { "input", "finding", "probe", "stats", "equations", "fit_line", "use", "gpx" }
ignore = { "212/self" } -- methods that need no state
