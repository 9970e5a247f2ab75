# libgpx: the rooms up to runtime as one archive, its header, and what find_package(gpx) reads.
set(library_rooms gpx_embed gpx_runtime gpx_vgpu gpx_vgpu_description gpx_codegen gpx_lang)
set(library ${PROJECT_BINARY_DIR}/library/libgpx.a)
set(script "CREATE ${library}\n")
foreach(room IN LISTS library_rooms)
  string(APPEND script "ADDLIB $<TARGET_FILE:${room}>\n")
endforeach()
file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/library/libgpx.mri CONTENT "${script}SAVE\nEND\n")
add_custom_command(
  OUTPUT ${library}
  COMMAND ${CMAKE_COMMAND} -E rm -f ${library}
  COMMAND ${CMAKE_AR} -M < ${PROJECT_BINARY_DIR}/library/libgpx.mri
  DEPENDS ${library_rooms} ${PROJECT_BINARY_DIR}/library/libgpx.mri
  VERBATIM)
add_custom_target(gpx_library ALL DEPENDS ${library})

include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/gpx)
set(GPX_DATADIR ${CMAKE_INSTALL_DATADIR}/gpx)
set(GPX_PROGRAM ${CMAKE_INSTALL_BINDIR}/gpx)
set(GPX_LIBRARY ${CMAKE_INSTALL_LIBDIR}/libgpx.a)
set(GPX_INCLUDEDIR ${CMAKE_INSTALL_INCLUDEDIR})
configure_package_config_file(
  cmake/gpxConfig.cmake.in ${PROJECT_BINARY_DIR}/library/gpxConfig.cmake
  INSTALL_DESTINATION ${package_folder}
  PATH_VARS GPX_DATADIR GPX_PROGRAM GPX_LIBRARY GPX_INCLUDEDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/library/gpxConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)

install(FILES ${library} DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES runtime/embed/gpx/gpx.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/gpx)
install(FILES ${PROJECT_BINARY_DIR}/library/gpxConfig.cmake
              ${PROJECT_BINARY_DIR}/library/gpxConfigVersion.cmake
  DESTINATION ${package_folder})
