// Reads the rows of a benchmark's results from the JSON that the benchmark wrote.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "libvox/measure/results.h"

namespace vox {

struct ReadResults {
  std::string device, device_text;  // the device that was measured
  measure::ResultTable rows;
};

// Reads an object with `device`, `device_text` and the array `rows` of objects, as json_text() writes it.
// Lists and objects in a row are ignored, and missing or null values are absent. Throws Error that names the
// file.
ReadResults read_results(const std::filesystem::path& path);
ReadResults parse_results(std::string_view json);

}  // namespace vox
