#include "formats/mesh/texture_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "formats/io/find_file.h"
#include "libvox/base/log.h"
#include "libvox/base/units.h"

namespace vox {
namespace {

constexpr size_t kNamed = 5;  // missing textures that the warning names

std::string first_names(std::span<const std::string> names) {
  std::string text;
  for (const std::string& name : names.first(std::min(names.size(), kNamed)))
    text += (text.empty() ? "" : ", ") + name;
  return names.size() > kNamed ? text + ", …" : text;
}

}  // namespace

TextureFiles::TextureFiles(std::filesystem::path mesh, const MeshOptions& options)
    : mesh_(std::move(mesh)), folders_{mesh_.parent_path()} {
  folders_.insert(folders_.end(), options.texture_paths.begin(), options.texture_paths.end());
}

std::optional<std::filesystem::path> TextureFiles::find(const std::string& name) {
  for (const std::filesystem::path& folder : folders_)
    if (auto file = find_file(folder, name)) return file;
  if (std::ranges::find(missing_, name) == missing_.end()) missing_.push_back(name);
  return std::nullopt;
}

std::optional<std::filesystem::path> TextureFiles::find(const std::string& name,
                                                        const std::filesystem::path& folder) {
  if (auto file = find_file(folder, name)) return file;
  return find(name);
}

void TextureFiles::warn_of_missing() const {
  if (missing_.empty()) return;
  log_warning(
      "{}: {} not found: {}; the material's colour is used instead (texture paths can name folders to "
      "look in)",
      mesh_.string(), format_count(missing_.size(), "texture"), first_names(missing_));
}

}  // namespace vox
