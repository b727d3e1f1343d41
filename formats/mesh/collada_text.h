// Rewrites the text of COLLADA files so that Assimp can read it.
#pragma once

#include <string>
#include <string_view>

namespace vox {

// The same XML without the parts that Assimp stumbles over: comments, the declaration (its encoding is no
// longer true), and blanks around the contents of an element, which have no meaning in COLLADA
// ("<color> 1 0 0 1 </color>"). `xml` is the text that TextFile makes of the file; text that the declaration
// calls ISO 8859-1 becomes UTF-8.
std::string plain_collada(std::string_view xml);

}  // namespace vox
