// Rewrites the text of COLLADA files so that Assimp can read it.
#pragma once

#include <string>
#include <string_view>

namespace vox {

// Returns the same XML without the parts that Assimp cannot handle: comments, the declaration (its encoding
// no longer holds), and blanks around the contents of an element, which have no meaning in COLLADA ("<color>
// 1 0 0 1 </color>"). `xml` is the file's text as TextFile returns it. If the declaration names ISO 8859-1,
// the text is converted to UTF-8.
std::string plain_collada(std::string_view xml);

}  // namespace vox
