# The target `manual` makes a manual page and completions for bash and zsh for every tool. help2man makes the page from
# `TOOL --help all`, and the completions read the same help when they run. They lie below ${vox_manual} as they will lie
# below share. Without help2man there are no manual pages.
set(vox_manual ${PROJECT_BINARY_DIR}/share)
set(vox-bench_commands all bricks compression convert edit forms hash intersect keys machine match rays replay)  # these commands have pages of their own

file(REMOVE_RECURSE ${vox_manual}/bash-completion ${vox_manual}/zsh)
foreach(tool IN LISTS vox_tools)
  configure_file(tools/completions/vox.bash ${vox_manual}/bash-completion/completions/${tool} COPYONLY)
  configure_file(tools/completions/vox.zsh ${vox_manual}/zsh/site-functions/_${tool} COPYONLY)
endforeach()

find_program(VOX_HELP2MAN help2man)
mark_as_advanced(VOX_HELP2MAN)
set(pages "")
if(VOX_HELP2MAN)
  foreach(tool IN LISTS vox_tools)
    set(tool_pages "")
    foreach(command IN ITEMS "" ${${tool}_commands})
      string(REGEX REPLACE "-$" "" page ${tool}-${command})
      list(APPEND tool_pages ${vox_manual}/man/man1/${page}.1)
    endforeach()
    add_custom_command(OUTPUT ${tool_pages}
      COMMAND ${CMAKE_COMMAND} -D help2man=${VOX_HELP2MAN} -D program=$<TARGET_FILE:${tool}>
              -D "commands=${${tool}_commands}" -D version=${PROJECT_VERSION} -D folder=${vox_manual}/man/man1
              -P ${PROJECT_SOURCE_DIR}/cmake/manual_pages.cmake
      DEPENDS ${tool} vox vox_formats ${PROJECT_SOURCE_DIR}/cmake/manual_pages.cmake
      COMMENT "Manual pages of ${tool}" VERBATIM)
    list(APPEND pages ${tool_pages})
  endforeach()
else()
  message(STATUS "help2man is missing: the tools have no manual pages")
endif()
add_custom_target(manual ALL DEPENDS ${pages})
