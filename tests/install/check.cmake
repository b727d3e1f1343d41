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
