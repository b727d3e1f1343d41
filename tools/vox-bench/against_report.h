// The comparison of a benchmark with an earlier run of it, for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "formats/pages/html_page.h"
#include "libvox/measure/against.h"
#include "tools/vox-bench/results.h"

namespace vox {

struct Against {
  std::string file;                   // the file of the earlier run
  std::string device_before, device;  // in words
  std::vector<measure::AgainstRow> rows;

  bool same_device() const { return device_before == device; }
};

Against compared_with(const EarlierRun& earlier, const measure::ResultTable& rows,
                      const measure::ComparedColumns& columns, const BenchRun& run);

// The number of rows that became slower, and the rows that changed or did other work. All rows are in JSON, as the group
// `against`, and on the page.
std::string against_text(const Against& against);
void set_against(measure::ResultGroup& results, const Against& against);
void add_against(HtmlPage& page, const Against& against);

}  // namespace vox
