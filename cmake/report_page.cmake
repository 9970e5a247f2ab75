# The sources of an HTML report's page, embedded into gpx_report.
set(page_folder ${PROJECT_SOURCE_DIR}/runtime/report/html)
set(page_items
  page=${page_folder}/report.html
  css=${page_folder}/report.css
  js=${page_folder}/report.js
  uplot_css=${page_folder}/third_party/uPlot/uPlot.min.css
  uplot_js=${page_folder}/third_party/uPlot/uPlot.iife.min.js
  uplot_license=${page_folder}/third_party/uPlot/LICENSE)
list(TRANSFORM page_items REPLACE "^[^=]+=" "" OUTPUT_VARIABLE page_files)
set(page_code ${PROJECT_BINARY_DIR}/report_page/assets.cpp)
add_custom_command(
  OUTPUT ${page_code}
  COMMAND ${CMAKE_COMMAND} -DOUT=${page_code} -DHEADER=runtime/report/html/assets.h
          -DNAMESPACE=gpx::report::html::assets "-DTEXTS=${page_items}"
          -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
  DEPENDS ${page_files} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
  VERBATIM)
target_sources(gpx_report PRIVATE ${page_code})
