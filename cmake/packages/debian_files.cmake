# cpack runs this file when the files of all packages lie below ${CPACK_TEMPORARY_INSTALL_DIRECTORY}, a folder
# for each package. It changes them to conform to Debian's policy.
set(changelog "vox (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * Packages of this version, as cpack makes them.

 -- ${CPACK_vox_maintainer}  DATE
")

# The day of the commit is used, so that equal sources give equal packages.
if(NOT DEFINED ENV{SOURCE_DATE_EPOCH})
  execute_process(COMMAND git log -1 --format=%ct WORKING_DIRECTORY ${CPACK_vox_source} OUTPUT_VARIABLE epoch
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(epoch)
    set(ENV{SOURCE_DATE_EPOCH} ${epoch})
  endif()
endif()
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
string(REPLACE "DATE" "${date}" changelog "${changelog}")

foreach(component_and_name IN LISTS CPACK_vox_packages)
  string(REGEX MATCH "^([a-z_]+):(.*)$" component_and_name ${component_and_name})
  set(root ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/${CMAKE_MATCH_1}/usr)
  set(documents ${root}/share/doc/${CMAKE_MATCH_2})
  configure_file(${CPACK_vox_source}/cmake/packages/copyright ${documents}/copyright COPYONLY)
  file(WRITE ${documents}/changelog "${changelog}")
  execute_process(COMMAND gzip -9nf ${documents}/changelog COMMAND_ERROR_IS_FATAL ANY)

  # Installed libraries are on the system's search path, so RPATHs are removed.
  file(GLOB programs ${root}/bin/* ${root}/lib/*.so*)
  foreach(program IN LISTS programs)
    if(NOT IS_SYMLINK ${program})
      file(RPATH_REMOVE FILE ${program})
    endif()
  endforeach()
endforeach()

set(share ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/tools/usr/share)
file(GLOB pages ${share}/man/man1/*.1)
execute_process(COMMAND gzip -9nf ${pages} COMMAND_ERROR_IS_FATAL ANY)
file(RENAME ${share}/zsh/site-functions ${share}/zsh/vendor-completions)  # the zsh of Debian looks there
file(REMOVE ${share}/doc/vox/LICENSE)                                     # the file copyright has it
