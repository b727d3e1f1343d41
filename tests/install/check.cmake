# Installs the build into an empty folder, then configures, builds and runs a project that knows only that folder.
function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${work})
run(${CMAKE_COMMAND} --install ${build} --prefix ${work}/prefix)
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/consumer -B ${work}/build -G Ninja -DCMAKE_BUILD_TYPE=Release
    -DCMAKE_CXX_COMPILER=${compiler} -DCMAKE_PREFIX_PATH=${work}/prefix)
run(${CMAKE_COMMAND} --build ${work}/build)
execute_process(COMMAND ${work}/build/consumer WORKING_DIRECTORY ${work} OUTPUT_VARIABLE printed ERROR_VARIABLE said
                COMMAND_ERROR_IS_FATAL ANY)
if(NOT said STREQUAL "" OR NOT printed MATCHES "^no such file.fbx: [^\n]*\n$")
  message(FATAL_ERROR "the library prints: ${printed}${said}")
endif()
