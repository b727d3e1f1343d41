# Installs the build into an empty folder, then configures, builds and runs projects that know only that folder.
function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY WORKING_DIRECTORY ${work})
endfunction()

function(build_project source name)
  run(${CMAKE_COMMAND} -S ${source} -B ${work}/${name} -G Ninja -DCMAKE_BUILD_TYPE=Release
      -DCMAKE_CXX_COMPILER=${compiler} -DCMAKE_PREFIX_PATH=${work}/prefix)
  run(${CMAKE_COMMAND} --build ${work}/${name})
endfunction()

file(REMOVE_RECURSE ${work})
file(MAKE_DIRECTORY ${work})
run(${CMAKE_COMMAND} --install ${build} --prefix ${work}/prefix)

build_project(${CMAKE_CURRENT_LIST_DIR}/consumer consumer)
execute_process(COMMAND ${work}/consumer/consumer WORKING_DIRECTORY ${work} OUTPUT_VARIABLE printed ERROR_VARIABLE said
                COMMAND_ERROR_IS_FATAL ANY)
if(NOT said STREQUAL "" OR NOT printed MATCHES "^no such file.fbx: [^\n]*\n$")
  message(FATAL_ERROR "the library prints: ${printed}${said}")
endif()

build_project(${CMAKE_CURRENT_LIST_DIR}/../../docs/example example)
run(${work}/example/example)
run(${work}/prefix/bin/vox-convert --verify example.h5)

# The installed Python package reads the same file if h5py is installed.
execute_process(COMMAND ${python} -c "import h5py" RESULT_VARIABLE without_h5py OUTPUT_QUIET ERROR_QUIET)
if(without_h5py EQUAL 0)
  file(GLOB_RECURSE package ${work}/prefix/lib/__init__.py)
  cmake_path(GET package PARENT_PATH package)
  cmake_path(GET package PARENT_PATH package)
  run(${CMAKE_COMMAND} -E env PYTHONPATH=${package} PYTHONDONTWRITEBYTECODE=1 ${python} -c [[
import vox
print(sum(len(part.materials) for part in vox.open("example.h5").voxels()), "voxels")]])
endif()

# Every program, and every command that a program lists, must have an installed manual page and completions
# that agree with its own output.
function(check_pages page program)  # further arguments: of the program
  foreach(form_and_file IN ITEMS man:man/man1/${page}.1 bash:bash-completion/completions/${page}
                                 zsh:zsh/site-functions/_${page})
    string(REGEX MATCH "^([a-z]+):(.*)$" form_and_file ${form_and_file})
    set(file ${work}/prefix/share/${CMAKE_MATCH_2})
    execute_process(COMMAND ${program} ${ARGN} --help=${CMAKE_MATCH_1} OUTPUT_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
    file(READ ${file} installed)
    if(NOT installed STREQUAL said)
      message(FATAL_ERROR "${file} is not what ${page} says")
    endif()
  endforeach()
endfunction()

file(GLOB programs ${work}/prefix/bin/vox-*)
foreach(program IN LISTS programs)
  get_filename_component(name ${program} NAME)
  check_pages(${name} ${program})
  execute_process(COMMAND ${program} --help OUTPUT_VARIABLE help COMMAND_ERROR_IS_FATAL ANY)
  if(help MATCHES "\nCommands:\n(  [^\n]*\n)+")
    string(REGEX MATCHALL "\n  [a-z]+" commands ${CMAKE_MATCH_0})
    foreach(command IN LISTS commands)
      string(STRIP ${command} command)
      check_pages(${name}-${command} ${program} ${command})
    endforeach()
  endif()
endforeach()
