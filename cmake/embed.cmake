# embed.cmake -DOUT=file.cpp -DHEADER=h -DNAMESPACE=ns -DTEXTS=name=path;name=path…
# Writes each file's text as a std::string_view. Run when one of the files changes.
set(code "#include \"${HEADER}\"\n\nnamespace ${NAMESPACE} {\n\n")
foreach(item IN LISTS TEXTS)
  string(REGEX MATCH "^([^=]+)=(.+)$" matched "${item}")
  set(name "${CMAKE_MATCH_1}")
  file(READ "${CMAKE_MATCH_2}" text)
  string(APPEND code "const std::string_view ${name} = R\"gpx_asset(${text})gpx_asset\";\n\n")
endforeach()
file(WRITE "${OUT}" "${code}}  // namespace ${NAMESPACE}\n")
