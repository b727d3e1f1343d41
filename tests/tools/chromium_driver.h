// Drives Chromium from a Python program of a test: pages are opened, asked and clicked, as a reader would.
#pragma once

#include <string>

namespace vox {

// The browser's name on this machine; "" where there is none, or where programs are instrumented, which write the same
// pages.
std::string browser_name();

// The text of a Python module that drives Chromium through its pipe.
std::string chromium_driver();

}  // namespace vox
