// The style sheet of report pages.
#pragma once

#include <string_view>

namespace vox {

std::string_view html_style();

}  // namespace vox
