# The standard library and the experiments, embedded into gpx_codegen: a program without its tree has
# them (codegen/files/embedded.h).
add_executable(gpx_pack_library ${PROJECT_SOURCE_DIR}/cmake/pack_library.cpp)
target_link_libraries(gpx_pack_library PRIVATE gpx_zstd)
file(GLOB_RECURSE embedded_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/stdlib/*
     ${PROJECT_SOURCE_DIR}/experiments/*)
set(embedded_code ${PROJECT_BINARY_DIR}/embedded_library/packed.cpp)
add_custom_command(
  OUTPUT ${embedded_code}
  COMMAND gpx_pack_library ${embedded_code} ${PROJECT_SOURCE_DIR} stdlib experiments
  DEPENDS gpx_pack_library ${embedded_files}
  VERBATIM)
target_sources(gpx_codegen PRIVATE ${embedded_code})
set_source_files_properties(${embedded_code} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
