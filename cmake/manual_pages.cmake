# Makes the manual pages of a program and of each of its commands in a folder. Called with -D help2man= -D program=
# -D commands= -D version= -D folder=
get_filename_component(name ${program} NAME)
file(MAKE_DIRECTORY ${folder})
set(ENV{COLUMNS} 80)
# The description in one line: the first words of the help, as in "measures a scene file" of "Measures a scene file: …".
function(first_words result)
  execute_process(COMMAND ${program} ${ARGN} --help OUTPUT_VARIABLE help COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCH "\n\n([^\n]+(\n[^\n]+)*)" words "${help}")
  string(REPLACE "\n" " " words "${CMAKE_MATCH_1} ")
  foreach(end IN ITEMS ": " ". " " (")
    string(FIND "${words}" "${end}" at)
    string(SUBSTRING "${words}" 0 ${at} words)
  endforeach()
  string(SUBSTRING "${words}" 0 1 first)
  string(TOLOWER "${first}" first)
  string(SUBSTRING "${words}" 1 -1 rest)
  set(${result} "${first}${rest}" PARENT_SCOPE)
endfunction()

function(make_page page)  # further arguments: the command
  first_words(words ${ARGN})
  list(JOIN ARGN " " command)
  string(STRIP "${program} ${command}" called)
  execute_process(
    COMMAND ${help2man} --no-info --locale=C.UTF-8 --name=${words} "--version-string=${page} ${version}"
            "--source=vox ${version}" "--help-option=--help all" ${called}
    OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  # Indented lines, such as those of scripts, stay as they are; help2man would have them filled like a paragraph.
  string(REGEX REPLACE "\n\\.IP\n(([^.\n][^\n]*\n)+)" "\n.PP\n.nf\n\\1.fi\n" text "${text}")
  string(REGEX REPLACE "(\n\\.TH [^ ]+ \"1\") \"[^\"]*\"" "\\1 \"\"" text "${text}")  # no date: equal sources give equal pages
  file(WRITE ${folder}/${page}.1 "${text}")
endfunction()

make_page(${name})
foreach(command IN LISTS commands)
  make_page(${name}-${command} ${command})
endforeach()
