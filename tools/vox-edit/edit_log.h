// What each pass of a run did, as a table.
#pragma once

#include <deque>
#include <filesystem>

#include "formats/report_file.h"
#include "libvox/edit/editor.h"

namespace vox {

struct EditLog {
  std::deque<PassRecord> passes;
  std::deque<CollectRecord> collections;
};

// Groups edits and collections: one row per pass, one per collection.
Report report_of(const EditLog& log);

// .csv: the table of passes alone; else HDF5 with all. Throws Error that names the file.
void write_log(const Report& report, const std::filesystem::path& path);

}  // namespace vox
