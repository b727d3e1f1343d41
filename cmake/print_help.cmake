# Makes a program write the manual page and the completions for itself and for each of its commands, below
# share/. Called with -D program= -D commands= -D share=
get_filename_component(name ${program} NAME)

function(print form file)  # further arguments are passed to the program
  get_filename_component(folder ${file} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  execute_process(COMMAND ${program} ${ARGN} --help=${form} OUTPUT_FILE ${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(print_all page)
  print(bash ${share}/bash-completion/completions/${page} ${ARGN})
  print(zsh ${share}/zsh/site-functions/_${page} ${ARGN})
  print(man ${share}/man/man1/${page}.1 ${ARGN})  # last, because the build looks for this file
endfunction()

print_all(${name})
foreach(command IN LISTS commands)
  print_all(${name}-${command} ${command})
endforeach()
