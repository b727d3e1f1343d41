# Makes a source file that contains, as one text, a header and all of our own headers that it includes, each
# once. Just-in-time compiled code begins with this text. Called with -D header= -D root= -D output= -D name=
cmake_policy(SET CMP0057 NEW)  # IN_LIST
set(seen "")
function(expand file result)
  file(READ ${root}/${file} text)
  string(REPLACE "#pragma once" "" text "${text}")
  string(REGEX MATCH "#include \"([^\"]*)\"" line "${text}")
  while(line)
    set(included ${CMAKE_MATCH_1})
    set(inner "")
    if(NOT included IN_LIST seen)
      list(APPEND seen ${included})
      expand(${included} inner)
    endif()
    string(REPLACE "${line}" "${inner}" text "${text}")
    string(REGEX MATCH "#include \"([^\"]*)\"" line "${text}")
  endwhile()
  set(seen "${seen}" PARENT_SCOPE)
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

expand(${header} text)
# Comment lines are removed, because the compiler does not need them.
string(REGEX REPLACE "\n *//[^\n]*" "" text "${text}")
string(REGEX REPLACE "\n\n+" "\n" text "${text}")
file(WRITE ${output} "namespace vox::bricks {\nextern const char* const ${name};\n"
  "const char* const ${name} = R\"embedded(${text})embedded\";\n}  // namespace vox::bricks\n")
