#include "formats/scene/replaced_parts.h"

#include <algorithm>
#include <set>
#include <string>
#include <system_error>

#include "formats/scene/scene_parts.h"
#include "libvox/base/atomic_file.h"

namespace vox {
namespace {

namespace fs = std::filesystem;

void remove_part(const fs::path& part) {
  std::error_code ignored;
  fs::remove(part, ignored);
  fs::remove(part.parent_path(), ignored);  // fails if something is in it
}

std::vector<fs::path> regular_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code failed, unknown;
  for (fs::directory_iterator at(folder.empty() ? "." : folder, failed), end; !failed && at != end;
       at.increment(failed))
    if (at->is_regular_file(unknown)) files.push_back(folder / at->path().filename());
  return files;
}

// True if a file has the name of a part, complete or still being written.
bool is_part(const fs::path& file) {
  const std::string name = file.filename().string();
  return is_part_name(target_of_temporary(name).value_or(name));
}

}  // namespace

void remove_other_parts(const fs::path& scene, std::span<const fs::path> named) {
  std::set<fs::path> others;
  for (const fs::path& file : regular_files(parts_folder(scene)))
    if (is_part(file)) others.insert(file);
  for (const fs::path& part : named) others.erase(part);
  if (others.empty()) return;
  for (const fs::path& file : regular_files(scene.parent_path()))
    if (file != scene)
      for (const fs::path& part : named_parts(file)) others.erase(part);
  std::ranges::for_each(others, remove_part);
}

NewParts::~NewParts() {
  for (const fs::path& part : parts_) remove_part(part);
}

}  // namespace vox
