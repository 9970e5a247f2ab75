# Installs what gpx prints of itself: completions for bash, zsh and fish, and the manual page.

# gpx_install_printed(FILE FOLDER ARGS...): what `gpx ARGS...` prints, as FOLDER/FILE.
function(gpx_install_printed file folder)
  list(JOIN ARGN " " arguments)
  set(made "${PROJECT_BINARY_DIR}/shell/${file}")
  install(CODE "
    file(MAKE_DIRECTORY \"${PROJECT_BINARY_DIR}/shell\")
    execute_process(COMMAND \"$<TARGET_FILE:gpx>\" ${arguments}
                    OUTPUT_FILE \"${made}\" COMMAND_ERROR_IS_FATAL ANY)")
  install(FILES "${made}" DESTINATION "${folder}")
endfunction()

gpx_install_printed(gpx ${CMAKE_INSTALL_DATADIR}/bash-completion/completions completions bash)
gpx_install_printed(_gpx ${CMAKE_INSTALL_DATADIR}/zsh/site-functions completions zsh)
gpx_install_printed(gpx.fish ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d completions fish)
gpx_install_printed(gpx.1 ${CMAKE_INSTALL_MANDIR}/man1 man)
