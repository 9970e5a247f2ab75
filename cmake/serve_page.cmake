# The page of gpx serve, embedded into gpx_serve.
set(serve_folder ${PROJECT_SOURCE_DIR}/runtime/serve/page)
set(serve_items
  page=${serve_folder}/page.html
  css=${serve_folder}/page.css
  page_js=${serve_folder}/page.js
  api_js=${serve_folder}/api.js
  cells_js=${serve_folder}/cells.js
  language_js=${serve_folder}/language.js
  results_js=${serve_folder}/results.js
  code_js=${serve_folder}/code.js
  kernels_js=${serve_folder}/kernels.js
  menus_js=${serve_folder}/menus.js
  editor_js=${serve_folder}/third_party/codemirror/editor.min.js
  editor_license=${serve_folder}/third_party/codemirror/LICENSE)
list(TRANSFORM serve_items REPLACE "^[^=]+=" "" OUTPUT_VARIABLE serve_files)
set(serve_code ${PROJECT_BINARY_DIR}/serve_page/assets.cpp)
add_custom_command(
  OUTPUT ${serve_code}
  COMMAND ${CMAKE_COMMAND} -DOUT=${serve_code} -DHEADER=runtime/serve/assets.h
          -DNAMESPACE=gpx::serve::assets "-DTEXTS=${serve_items}"
          -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
  DEPENDS ${serve_files} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
  VERBATIM)
target_sources(gpx_serve PRIVATE ${serve_code})
