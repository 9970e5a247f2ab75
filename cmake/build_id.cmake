# The build's id: a hash of what it is made from, with git or without. Included by CMakeLists.txt;
# run as a script, with -DOUT=file.cpp -DROOT=folder, it writes the id. Covered by
# tests/cli/commands_test.cpp.
set(build_id_folders lang codegen runtime stdlib cmake)
if(CMAKE_SCRIPT_MODE_FILE)
  list(TRANSFORM build_id_folders REPLACE "(.+)" "${ROOT}/\\1/*")
  file(GLOB_RECURSE files RELATIVE ${ROOT} ${build_id_folders})
  list(SORT files)
  set(all "")
  foreach(file IN LISTS files)
    file(SHA256 ${ROOT}/${file} hash)
    string(APPEND all "${file} ${hash}\n")
  endforeach()
  string(SHA256 id "${all}")
  string(SUBSTRING "${id}" 0 12 id)
  file(WRITE ${OUT} "#include \"runtime/build_id.h\"\n\nnamespace gpx {\n\n"
                    "std::string_view build_id() {\n  return \"${id}\";\n}\n\n}  // namespace gpx\n")
  return()
endif()
set(build_id_code ${PROJECT_BINARY_DIR}/build_id/build_id.cpp)
list(TRANSFORM build_id_folders REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/\\1/*" OUTPUT_VARIABLE hashed)
file(GLOB_RECURSE hashed CONFIGURE_DEPENDS ${hashed})
add_custom_command(
  OUTPUT ${build_id_code}
  COMMAND ${CMAKE_COMMAND} -DOUT=${build_id_code} -DROOT=${PROJECT_SOURCE_DIR}
          -P ${PROJECT_SOURCE_DIR}/cmake/build_id.cmake
  DEPENDS ${hashed}
  VERBATIM)
target_sources(gpx_runtime PRIVATE ${build_id_code})
