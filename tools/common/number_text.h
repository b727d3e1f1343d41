// A measured number as people write it.
#pragma once

#include <string>

namespace vox {

// The number with 3 digits, and with all digits before the point: "-1,000", "0.25", "12,345", "2.50e+07".
std::string number_text(double value);

}  // namespace vox
