# The Debian package: `./dev package`, or cpack -G DEB in the build folder.
set(CPACK_PACKAGE_NAME gpx)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "The gpx authors <gpx@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "language and virtual GPU to find out how GPUs work")
set(CPACK_PACKAGE_DESCRIPTION
"Experiments of a few lines become kernels, run on a real GPU through the CUDA
driver or on a virtual one, and their samples become findings: sizes, latencies
and policies with intervals. Contains the program, its standard library,
experiments, the C++ library with its header, and the Python package.
NVRTC (of the CUDA toolkit) compiles the kernels and is found when gpx runs;
without it clang does for virtual devices.")
set(CPACK_GENERATOR DEB)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS
  "clang-14, gnuplot-nox, libfmt-dev, libxxhash-dev, libzstd-dev, liblua5.4-dev, nvidia-cuda-toolkit")

# What Debian wants beside it.
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
string(TIMESTAMP package_date "%a, %d %b %Y %H:%M:%S +0000" UTC)
set(package_changelog ${PROJECT_BINARY_DIR}/package/changelog)
file(WRITE ${package_changelog} "gpx (${PROJECT_VERSION}) unstable; urgency=medium

  * CHANGELOG.md says what is new.

 -- ${CPACK_PACKAGE_CONTACT}  ${package_date}
")
file(ARCHIVE_CREATE OUTPUT ${package_changelog}.gz PATHS ${package_changelog} FORMAT raw
  COMPRESSION GZip COMPRESSION_LEVEL 9)
install(FILES ${package_changelog}.gz DESTINATION ${CMAKE_INSTALL_DOCDIR})
include(CPack)
