#include "formats/scene/replaced_parts.h"

#include <algorithm>
#include <system_error>

#include "formats/scene/scene_parts.h"

namespace vox {
namespace {

namespace fs = std::filesystem;

void remove_part(const fs::path& part) {
  std::error_code ignored;
  fs::remove(part, ignored);
  fs::remove(part.parent_path(), ignored);  // fails where something is in it
}

}  // namespace

ReplacedParts::ReplacedParts(const fs::path& path) : path_(path), parts_(named_parts(path)) {}

void ReplacedParts::remove() const {
  const std::vector<fs::path> kept = named_parts(path_);
  for (const fs::path& part : parts_)
    if (part.parent_path() == parts_folder(path_) && std::ranges::find(kept, part) == kept.end())
      remove_part(part);
}

NewParts::~NewParts() {
  for (const fs::path& part : parts_) remove_part(part);
}

}  // namespace vox
