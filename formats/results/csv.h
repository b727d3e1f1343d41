// Columns of a report as comma-separated values (RFC 4180): a line of names, then a line for each row.
#pragma once

#include <filesystem>
#include <string>

#include "formats/results/report_file.h"

namespace vox {

// Numbers as in JSON. All columns are of one length.
std::string csv_text(const ReportGroup& table);

// Replaces what is at `path` once everything is written. Throws Error that names the file.
void write_csv(const ReportGroup& table, const std::filesystem::path& path);

}  // namespace vox
