# gpx_page(TARGET HEADER NAMESPACE NAME=FILE…): the sources of pages, embedded into a library.
function(gpx_page target header namespace)
  list(TRANSFORM ARGN REPLACE "^[^=]+=" "" OUTPUT_VARIABLE files)
  set(code ${PROJECT_BINARY_DIR}/report_page/${target}_assets.cpp)
  add_custom_command(
    OUTPUT ${code}
    COMMAND ${CMAKE_COMMAND} -DOUT=${code} -DHEADER=${header} -DNAMESPACE=${namespace}
            "-DTEXTS=${ARGN}" -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${files} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    VERBATIM)
  target_sources(${target} PRIVATE ${code})
endfunction()

set(page_folder ${PROJECT_SOURCE_DIR}/runtime/report/html)
gpx_page(gpx_report runtime/report/html/assets.h gpx::report::html::assets
  page=${page_folder}/report.html
  css=${page_folder}/report.css
  js=${page_folder}/report.js
  uplot_css=${page_folder}/third_party/uPlot/uPlot.min.css
  uplot_js=${page_folder}/third_party/uPlot/uPlot.iife.min.js
  uplot_license=${page_folder}/third_party/uPlot/LICENSE)
gpx_page(gpx_fleet runtime/atlas/assets.h gpx::atlas::assets
  css=${PROJECT_SOURCE_DIR}/runtime/atlas/atlas.css
  js=${PROJECT_SOURCE_DIR}/runtime/atlas/atlas.js)
