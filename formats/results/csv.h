// Writes a table of results as comma-separated values (RFC 4180): a line of names, then a line for each row. The first
// name alone stands in quotes, which readers remove: is_csv_of_vox() knows our files by it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "libvox/measure/results.h"

namespace vox {

// Columns have the same names as in report files; columns without a name there are left out. Numbers are
// written as in JSON, and a field without a value is empty.
std::string csv_text(const measure::ResultTable& table);

// Writes the table and then replaces the file at `path`. Throws Error that names the file.
void write_csv(const measure::ResultTable& table, const std::filesystem::path& path);

// True if a file that begins with these bytes was written by write_csv().
bool is_csv_of_vox(std::string_view head);

}  // namespace vox
