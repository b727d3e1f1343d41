// Writes results as a report file in HDF5.
//
// A group of results is a group of HDF5. A column of a table is a dataset of uint64, float64 or texts of
// fixed length (h5py: bytes; .decode() gives a str), with its unit as the attribute `unit`. A single value is
// an attribute NAME; if it has a unit, that is the attribute NAME_unit. Empty units are left out. The root
// also has the attributes format "vox-report" and version 1.
#pragma once

#include <filesystem>

#include "libvox/measure/results.h"

namespace vox {

// Writes the report and then replaces the file at `path`. Throws Error that names the file.
void write_report(const measure::ResultGroup& results, const std::filesystem::path& path);

}  // namespace vox
