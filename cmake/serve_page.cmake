# The page of gpx serve, embedded into gpx_serve.
set(serve_folder ${PROJECT_SOURCE_DIR}/runtime/serve/page)
gpx_page(gpx_serve runtime/serve/assets.h gpx::serve::assets
  page=${serve_folder}/page.html
  css=${serve_folder}/page.css
  page_js=${serve_folder}/page.js
  api_js=${serve_folder}/api.js
  cells_js=${serve_folder}/cells.js
  language_js=${serve_folder}/language.js
  results_js=${serve_folder}/results.js
  compare_js=${serve_folder}/compare.js
  bank_note_js=${serve_folder}/bank_note.js
  listings_js=${serve_folder}/listings.js
  deleted_js=${serve_folder}/deleted.js
  places_js=${serve_folder}/places.js
  trace_js=${serve_folder}/trace.js
  predict_js=${serve_folder}/predict.js
  code_js=${serve_folder}/code.js
  kernels_js=${serve_folder}/kernels.js
  menus_js=${serve_folder}/menus.js
  editor_js=${serve_folder}/third_party/codemirror/editor.min.js
  editor_license=${serve_folder}/third_party/codemirror/LICENSE)
