# Makes a source file that contains the viewer of scene pages (formats/pages/viewer) as texts: its style, its
# body and two programs. The modules of a program are joined, each after those that it imports. So a
# page needs no other file, and a build needs neither npm nor a network. Called with -D folder= -D output=
cmake_policy(SET CMP0057 NEW)  # IN_LIST
# Appends a module to the script after those that it imports.
function(append_module name)
  list(APPEND seen ${name})
  file(READ ${folder}/${name} text)
  string(REGEX MATCHALL "\nimport [^'\n]*'[^']*'" imports "\n${text}")
  foreach(line IN LISTS imports)
    string(REGEX REPLACE ".*'\\./([^']*)'" "\\1" imported "${line}")
    if(NOT imported IN_LIST seen)
      append_module(${imported})
    endif()
  endforeach()
  # The text is quoted, so CMake does not take it for a list and each replacement sees all of it.
  string(REGEX REPLACE "(^|\n)import [^\n]*" "\\1" text "${text}")
  string(REGEX REPLACE "\nexport " "\n" text "${text}")
  # Comments and indentation are removed, because a browser does not need them.
  string(REGEX REPLACE "/\\*\\*?[^*\n]*\\*/ *" "" text "${text}")
  string(REGEX REPLACE "\n *//[^\n]*" "" text "\n${text}")
  string(REGEX REPLACE " +// [^\n]*" "" text "${text}")
  string(REGEX REPLACE "\n *\\*[^\n]*" "" text "${text}")
  string(REGEX REPLACE "\n */\\*\\*[^\n]*" "" text "${text}")
  string(REGEX REPLACE "\n +" "\n" text "${text}")
  string(REGEX REPLACE "\n\n+" "\n" text "${text}")
  # The shaders hold no strings, so spaces after commas mean nothing there.
  if(name MATCHES "glsl")
    string(REPLACE ", " "," text "${text}")
  endif()
  set(script "${script}${text}" PARENT_SCOPE)
  set(seen "${seen}" PARENT_SCOPE)
endfunction()

# Writes a C++ literal in parts, because compilers limit the length of one.
function(literal name text)
  set(parts "")
  string(LENGTH "${text}" left)
  set(at 0)
  while(at LESS left)
    string(SUBSTRING "${text}" ${at} 12000 part)
    string(APPEND parts "\nR\"viewer(${part})viewer\"")
    math(EXPR at "${at} + 12000")
  endwhile()
  set(${name} "${parts}" PARENT_SCOPE)
endfunction()

# Sets a variable to the literal of the program that begins with a module.
function(program name module most_bytes)
  set(seen "")
  set(script "")
  append_module(${module})
  string(LENGTH "${script}" bytes)
  if(bytes GREATER most_bytes)
    message(FATAL_ERROR "the program of ${module} has ${bytes} bytes, and may have ${most_bytes}")
  endif()
  literal(text "${script}")
  set(${name} "${text}" PARENT_SCOPE)
endfunction()

program(script_literal whole_page.js 73000)
program(stream_literal streamed_page.js 92000)
file(READ ${folder}/page.html body)
file(READ ${folder}/style.css style)
literal(body_literal "${body}")
literal(style_literal "${style}")
file(WRITE ${output} "#include \"formats/pages/scene_page.h\"\n\nnamespace vox {\n"
  "const char* const kViewerStyle =${style_literal};\n"
  "const char* const kViewerBody =${body_literal};\n"
  "const char* const kViewerScript =${script_literal};\n"
  "const char* const kStreamScript =${stream_literal};\n}  // namespace vox\n")
