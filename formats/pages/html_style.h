// How report pages look.
#pragma once

#include <string_view>

namespace vox {

std::string_view html_style();

}  // namespace vox
