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
run(${work}/example/example_c)
run(${work}/prefix/bin/vox-convert --verify example_c.h5)

# The installed Python package reads the same file if h5py is installed.
execute_process(COMMAND ${python} -c "import h5py" RESULT_VARIABLE without_h5py OUTPUT_QUIET ERROR_QUIET)
if(without_h5py EQUAL 0)
  file(GLOB_RECURSE package ${work}/prefix/lib/__init__.py)
  cmake_path(GET package PARENT_PATH package)
  cmake_path(GET package PARENT_PATH package)
  run(${CMAKE_COMMAND} -E env PYTHONPATH=${package} PYTHONDONTWRITEBYTECODE=1 ${python} -c [==[
import vox
print(sum(len(part.materials) for part in vox.open("example.h5").voxels()), "voxels")
converted = vox.voxelize([[0, 0, 0], [1, 0, 0], [0, 1, 0]], res=16)  # with the library of the same prefix
assert any("/prefix/lib/" in line and "libvox_c.so" in line for line in open("/proc/self/maps"))
print(converted)]==])
endif()

run(${python} ${CMAKE_CURRENT_LIST_DIR}/check_recipes.py ${work}/prefix lib/python3/dist-packages)

# Every program must have installed completions and, if the build had help2man, a manual page, and so must every command of
# a program.
function(check_page page)
  set(file ${work}/prefix/share/man/man1/${page}.1)
  file(GLOB pages ${work}/prefix/share/man/man1/*.1)
  if(pages AND NOT EXISTS ${file})
    message(FATAL_ERROR "${page} has no manual page: is it named in cmake/manual.cmake?")
  endif()
endfunction()

file(GLOB programs ${work}/prefix/bin/vox-*)
foreach(program IN LISTS programs)
  get_filename_component(name ${program} NAME)
  check_page(${name})
  foreach(file IN ITEMS bash-completion/completions/${name} zsh/site-functions/_${name})
    file(READ ${work}/prefix/share/${file} installed)
    if(NOT installed MATCHES " ${name}")
      message(FATAL_ERROR "${file} does not complete ${name}")
    endif()
  endforeach()
  execute_process(COMMAND ${program} --help OUTPUT_VARIABLE help COMMAND_ERROR_IS_FATAL ANY)
  if(help MATCHES "\nCommands:\n(  [^\n]*\n)+")
    string(REGEX MATCHALL "\n  [a-z]+" commands ${CMAKE_MATCH_0})
    foreach(command IN LISTS commands)
      string(STRIP ${command} command)
      check_page(${name}-${command})
    endforeach()
  endif()
endforeach()
