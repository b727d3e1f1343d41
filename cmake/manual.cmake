# The target `manual` makes a manual page and completions for bash and zsh for every tool. The tool itself
# writes them, so they agree with --help. They lie below ${vox_manual} as they will lie below share.
set(vox_manual ${PROJECT_BINARY_DIR}/share)
set(vox-bench_commands bricks convert edit forms hash intersect keys match)  # these commands have pages of their own

set(pages "")
foreach(tool IN LISTS vox_tools)
  set(tool_pages ${vox_manual}/man/man1/${tool}.1)
  foreach(command IN LISTS ${tool}_commands)
    list(APPEND tool_pages ${vox_manual}/man/man1/${tool}-${command}.1)
  endforeach()
  add_custom_command(OUTPUT ${tool_pages}
    COMMAND ${CMAKE_COMMAND} -D program=$<TARGET_FILE:${tool}> -D "commands=${${tool}_commands}" -D share=${vox_manual}
            -P ${PROJECT_SOURCE_DIR}/cmake/print_help.cmake
    DEPENDS ${tool} vox vox_formats ${PROJECT_SOURCE_DIR}/cmake/print_help.cmake
    COMMENT "Manual page and completions of ${tool}" VERBATIM)
  list(APPEND pages ${tool_pages})
endforeach()
add_custom_target(manual ALL DEPENDS ${pages})
