# Makes a source file that holds the viewer of scene pages (formats/pages/viewer) as three texts: its style, its body
# and its program. The modules become one, each behind those that it imports, so that a page needs no other file, and a
# build neither npm nor a network. Called with -D folder= -D output=
cmake_policy(SET CMP0057 NEW)  # IN_LIST
set(seen "")
set(script "")

# Appends a module to the script, after those that it imports.
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
  # Without the brackets of CMake's lists, texts are no lists here: every replacement takes all of it.
  string(REGEX REPLACE "(^|\n)import [^\n]*" "\\1" text "${text}")
  string(REGEX REPLACE "\nexport " "\n" text "${text}")
  # Comments and what lines are indented by say nothing to a browser.
  string(REGEX REPLACE "/\\*\\*?[^*\n]*\\*/ *" "" text "${text}")
  string(REGEX REPLACE "\n *//[^\n]*" "" text "\n${text}")
  string(REGEX REPLACE " +// [^\n]*" "" text "${text}")
  string(REGEX REPLACE "\n *\\*[^\n]*" "" text "${text}")
  string(REGEX REPLACE "\n */\\*\\*[^\n]*" "" text "${text}")
  string(REGEX REPLACE "\n +" "\n" text "${text}")
  string(REGEX REPLACE "\n\n+" "\n" text "${text}")
  set(script "${script}${text}" PARENT_SCOPE)
  set(seen "${seen}" PARENT_SCOPE)
endfunction()

# A literal of C++, in parts, as compilers limit how long one is.
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

append_module(main.js)
string(LENGTH "${script}" bytes)
if(bytes GREATER 60000)
  message(FATAL_ERROR "the program of scene pages has ${bytes} bytes, and may have 60,000")
endif()
file(READ ${folder}/page.html body)
file(READ ${folder}/style.css style)
literal(script_literal "${script}")
literal(body_literal "${body}")
literal(style_literal "${style}")
file(WRITE ${output} "#include \"formats/pages/viewer_parts.h\"\n\nnamespace vox {\n"
  "const char* const kViewerStyle =${style_literal};\n"
  "const char* const kViewerBody =${body_literal};\n"
  "const char* const kViewerScript =${script_literal};\n}  // namespace vox\n")
