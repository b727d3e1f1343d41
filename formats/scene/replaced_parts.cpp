#include "formats/scene/replaced_parts.h"

#include <algorithm>
#include <set>
#include <string>
#include <system_error>

#include "formats/scene/scene_parts.h"
#include "libvox/base/atomic_file.h"
#include "libvox/base/error.h"

namespace vox {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLockName = "rounds.lock";

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

std::set<fs::path> parts_in(const fs::path& folder) {
  std::set<fs::path> parts;
  for (const fs::path& file : regular_files(folder))
    if (is_part(file)) parts.insert(file);
  return parts;
}

}  // namespace

PartsLock::PartsLock(const fs::path& scene) : folder_(parts_folder(scene)) {
  constexpr int kAttempts = 100;  // a run that ends may remove the folder before this one has a file in it
  for (int attempt = 1; !file_; ++attempt) {
    try {
      take();
    } catch (const Error&) {
      std::error_code failed;
      if (attempt == kAttempts || fs::exists(folder_, failed)) throw;
    }
  }
  if (!file_->is_held())
    throw Error("another run is writing this scene")
        .at((folder_ / kLockName).string())
        .hint("wait until it is done, end it, or name another output");
}

void PartsLock::take() {
  std::error_code failed;
  fs::create_directories(folder_, failed);
  if (failed) throw Error("cannot be made: " + failed.message()).at(folder_.string());
  file_.emplace(folder_ / kLockName);
}

PartsLock::~PartsLock() {
  file_.reset();
  std::error_code ignored;
  fs::remove(folder_, ignored);  // fails if something is in it
}

void remove_unnamed_parts(const fs::path& scene) {
  std::set<fs::path> unnamed = parts_in(parts_folder(scene));
  if (unnamed.empty()) return;
  for (const fs::path& file : regular_files(scene.parent_path()))
    for (const fs::path& part : named_parts(file)) unnamed.erase(part);
  std::ranges::for_each(unnamed, remove_part);
}

void remove_replaced_parts(const fs::path& scene) {
  if (parts_in(parts_folder(scene)).empty()) return;
  try {
    const PartsLock lock(scene);
    remove_unnamed_parts(scene);
  } catch (const Error&) {  // another run has the lock, or the folder cannot be written
  }
}

NewParts::~NewParts() {
  for (const fs::path& part : parts_) remove_part(part);
}

}  // namespace vox
