// Writes results as a report file in HDF5.
//
// A group of results is a group of HDF5; a column of a table is a dataset of uint64, float64 or texts of
// fixed length (h5py: bytes; .decode() gives a str), with its unit as the attribute `unit`. A value is an
// attribute; where it has a unit, the attribute NAME_unit says which. Empty units are left out. The root also
// has the attributes format "vox-report" and version 1.
#pragma once

#include <filesystem>

#include "libvox/measure/results.h"

namespace vox {

// Replaces what is at `path` once everything is written. Throws Error that names the file.
void write_report(const measure::ResultGroup& results, const std::filesystem::path& path);

}  // namespace vox
