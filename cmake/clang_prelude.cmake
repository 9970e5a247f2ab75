# What stands before each source that clang compiles, embedded into gpx_codegen.
set(prelude_source ${PROJECT_SOURCE_DIR}/codegen/compile/clang/device.cuh)
set(names_source ${PROJECT_SOURCE_DIR}/codegen/compile/names.cuh)
set(prelude_code ${PROJECT_BINARY_DIR}/clang_prelude/device_text.cpp)
add_custom_command(
  OUTPUT ${prelude_code}
  COMMAND ${CMAKE_COMMAND} -DOUT=${prelude_code} -DHEADER=codegen/compile/clang/device_text.h
          -DNAMESPACE=gpx::codegen::clang_text "-DTEXTS=device=${prelude_source};names=${names_source}"
          -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
  DEPENDS ${prelude_source} ${names_source} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
  VERBATIM)
target_sources(gpx_codegen PRIVATE ${prelude_code})
