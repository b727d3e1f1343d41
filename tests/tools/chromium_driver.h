// Drives Chromium from a test's Python program: it opens pages, queries them and clicks, as a reader would.
#pragma once

#include <string>

namespace vox {

// Returns the browser's name on this machine. It is "" if there is no browser, or if programs are
// instrumented, because these write the same pages.
std::string browser_name();

// Returns the text of a Python module that drives Chromium through its pipe.
std::string chromium_driver();

}  // namespace vox
