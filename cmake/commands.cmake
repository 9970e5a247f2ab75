# The list of gpx's commands: a row for each file of runtime/cli/commands, which defines NAME_command().
# A program is given its list with its main().
function(gpx_command_rows file)
  set(command_declarations)
  set(command_calls)
  foreach(command_file IN LISTS ARGN)
    get_filename_component(command ${command_file} NAME_WE)
    string(APPEND command_declarations "CommandRow ${command}_command();\n")
    string(APPEND command_calls "${command}_command(), ")
  endforeach()
  configure_file(cmake/command_rows.cpp.in ${PROJECT_BINARY_DIR}/commands/${file} @ONLY)
endfunction()

file(GLOB command_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/runtime/cli/commands/*.cpp)
gpx_command_rows(rows.cpp ${command_files})
gpx_command_rows(run_row.cpp run.cpp)
target_sources(gpx_commands INTERFACE ${PROJECT_BINARY_DIR}/commands/rows.cpp)
