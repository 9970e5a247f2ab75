# The Python package gpx (docs/python.md): its native module by Python's stable C interface, and all of
# it as a folder that can be imported, ${PROJECT_BINARY_DIR}/python.
#   GPX_PYTHON=ON     build it (./dev python-test, ./dev wheel); python3-dev is needed
#   GPX_PYTHON=AUTO   build it where python3-dev is there (./dev package)
if(NOT GPX_PYTHON)
  return()
endif()
# Its stable interface is the same in all of them.
find_path(GPX_PYTHON_INCLUDE Python.h PATH_SUFFIXES python3.11 python3.12 python3.13 python3.10)
if(NOT GPX_PYTHON_INCLUDE)
  if(GPX_PYTHON STREQUAL ON)
    message(FATAL_ERROR "Python.h is missing: on Debian, apt-get install python3-dev")
  endif()
  return()
endif()

set(python_folder ${PROJECT_SOURCE_DIR}/runtime/python)
add_library(gpx_python MODULE ${python_folder}/calls.cpp ${python_folder}/module.cpp)
target_link_libraries(gpx_python PRIVATE gpx_report gpx_json)
target_include_directories(gpx_python SYSTEM PRIVATE ${GPX_PYTHON_INCLUDE})
target_link_options(gpx_python PRIVATE -Wl,--exclude-libs,ALL)
set_target_properties(gpx_python PROPERTIES
  PREFIX "" OUTPUT_NAME _gpx SUFFIX .abi3.so CXX_VISIBILITY_PRESET hidden
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/python/gpx
  BUILD_RPATH "$ORIGIN/libs" INSTALL_RPATH "")

file(GLOB python_files CONFIGURE_DEPENDS ${python_folder}/gpx/*.py ${python_folder}/gpx/*.pyi
     ${python_folder}/gpx/py.typed)
foreach(file IN LISTS python_files)
  get_filename_component(name ${file} NAME)
  configure_file(${file} ${PROJECT_BINARY_DIR}/python/gpx/${name} COPYONLY)
endforeach()
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/python/gpx/data)
foreach(folder stdlib experiments)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${folder} ${PROJECT_BINARY_DIR}/python/gpx/data/${folder}
       SYMBOLIC)
endforeach()

# Where Debian's Python looks; gpx/_native.py finds share/gpx from there.
set(python_site lib/python3/dist-packages/gpx)
install(FILES ${python_files} DESTINATION ${python_site})
install(TARGETS gpx_python LIBRARY DESTINATION ${python_site})
