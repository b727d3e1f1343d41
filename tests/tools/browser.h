// Looks at report pages in the browser that a reader would use: Chromium without a window.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace vox {

bool have_browser();

struct PageLook {
  int charts = 0, pictures = 0, texts = 0;  // texts: the pieces of text that were compared with each other
  std::vector<std::string> faults;          // "1280 px: …", "390 px: …", "console: …"
};

// Opens the page 1280 and 390 pixels wide. It reports console messages, charts without marks, charts and
// pictures that are not shown, texts that overlap, are cut off, leave their chart or are too small to read,
// and anything wider than the page. It needs a browser, and it writes files beside the page.
PageLook look_at(const std::filesystem::path& page);

}  // namespace vox
