# Third-party libraries, each as one interface target, so that a room names what it uses and the
# choice between shared and static (GPX_STATIC_DEPS) is made here alone.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)

if(GPX_STATIC_DEPS)
  add_link_options(-static-libgcc -static-libstdc++)
endif()

# gpx_library(TARGET name...): the named libraries, static where GPX_STATIC_DEPS asks for it.
function(gpx_library target)
  add_library(${target} INTERFACE)
  foreach(name IN LISTS ARGN)
    if(GPX_STATIC_DEPS)
      find_library(GPX_LIB_${name} NAMES lib${name}.a REQUIRED)
    else()
      find_library(GPX_LIB_${name} NAMES ${name} REQUIRED)
    endif()
    target_link_libraries(${target} INTERFACE ${GPX_LIB_${name}})
  endforeach()
endfunction()

if(GPX_STATIC_DEPS)
  # Debian ships no static libfmt.
  add_library(gpx_fmt INTERFACE)
  target_compile_definitions(gpx_fmt INTERFACE FMT_HEADER_ONLY)
else()
  gpx_library(gpx_fmt fmt)
endif()
gpx_library(gpx_xxhash xxhash)
gpx_library(gpx_zstd zstd)
gpx_library(gpx_sqlite sqlite3)
target_link_libraries(gpx_sqlite INTERFACE Threads::Threads ${CMAKE_DL_LIBS} m)
# Lua built as C++: destructors run when a script raises an error.
gpx_library(gpx_lua lua5.4-c++)
find_path(GPX_LUA_INCLUDE lua.hpp PATH_SUFFIXES lua5.4 REQUIRED)
target_include_directories(gpx_lua SYSTEM INTERFACE ${GPX_LUA_INCLUDE})
if(GPX_STATIC_DEPS)
  # libedit's archive needs its terminal and BSD helpers.
  gpx_library(gpx_edit edit tinfo bsd md)
else()
  gpx_library(gpx_edit edit)
endif()

# Header-only.
add_library(gpx_expected INTERFACE)   # tl/expected.hpp
add_library(gpx_pegtl INTERFACE)      # tao/pegtl.hpp
add_library(gpx_json INTERFACE)       # nlohmann/json.hpp
add_library(gpx_cli11 INTERFACE)      # CLI/CLI.hpp
add_library(gpx_boost_math INTERFACE) # boost/math/distributions/students_t.hpp
add_library(gpx_beast INTERFACE)      # boost/beast.hpp: HTTP
target_link_libraries(gpx_beast INTERFACE Threads::Threads)
foreach(header tl/expected.hpp tao/pegtl.hpp nlohmann/json.hpp CLI/CLI.hpp
        boost/math/distributions/students_t.hpp boost/beast.hpp)
  string(MAKE_C_IDENTIFIER "GPX_HEADER_${header}" variable)
  find_path(${variable} ${header} REQUIRED)
endforeach()
