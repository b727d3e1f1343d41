// The ceiling of random reads, which benchmarks of tables measure first, as people and programs see it.
#pragma once

#include <string>
#include <vector>

#include "formats/pages/html_page.h"
#include "libvox/measure/hash_bench.h"
#include "libvox/measure/results.h"

namespace vox {

using Ceilings = std::vector<measure::RandomReadCeiling>;

measure::ResultTable ceilings_table(const Ceilings& ceilings);
std::string ceilings_text(const Ceilings& ceilings);
void add_ceilings(HtmlPage& page, const Ceilings& ceilings);  // as a section

}  // namespace vox
