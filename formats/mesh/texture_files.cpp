#include "formats/mesh/texture_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "libvox/base/log.h"
#include "libvox/base/units.h"

namespace vox {
namespace {

constexpr size_t kNamed = 5;  // number of missing textures that the warning names

std::string first_names(std::span<const std::string> names) {
  std::string text;
  for (const std::string& name : names.first(std::min(names.size(), kNamed)))
    text += (text.empty() ? "" : ", ") + name;
  return names.size() > kNamed ? text + ", …" : text;
}

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::ranges::find(names, name) == names.end()) names.push_back(name);
}

}  // namespace

OpenFolders open_folders(const std::filesystem::path& mesh, const MeshOptions& options) {
  if (options.outside == OutsideFiles::Read) return {};
  std::vector<std::filesystem::path> folders = {mesh.parent_path()};
  folders.insert(folders.end(), options.texture_paths.begin(), options.texture_paths.end());
  return OpenFolders(folders);
}

TextureFiles::TextureFiles(std::filesystem::path mesh, const MeshOptions& options)
    : mesh_(std::move(mesh)), folders_{mesh_.parent_path()}, open_(open_folders(mesh_, options)) {
  folders_.insert(folders_.end(), options.texture_paths.begin(), options.texture_paths.end());
}

std::optional<std::filesystem::path> TextureFiles::find_in(std::span<const std::filesystem::path> folders,
                                                           const std::string& name) {
  bool outside = false;
  for (const std::filesystem::path& folder : folders) try {
      if (auto file = find_file(folder, name, open_)) return file;
    } catch (const OutsideFile&) {
      outside = true;
    }
  add_once(outside ? outside_ : missing_, name);
  return std::nullopt;
}

std::optional<std::filesystem::path> TextureFiles::find(const std::string& name) {
  return find_in(folders_, name);
}

std::optional<std::filesystem::path> TextureFiles::find(const std::string& name,
                                                        const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> folders = {folder};
  folders.insert(folders.end(), folders_.begin(), folders_.end());
  return find_in(folders, name);
}

void TextureFiles::warn_of_missing() const {
  if (!missing_.empty())
    log_warning(
        "{}: {} not found: {}; the material's colour is used instead (texture paths can name folders to "
        "look in)",
        mesh_.string(), format_count(missing_.size(), "texture"), first_names(missing_));
  if (!outside_.empty())
    log_warning(
        "{}: {} outside of its folder not read: {}; the material's colour is used instead (files outside of "
        "it can be allowed)",
        mesh_.string(), format_count(outside_.size(), "texture"), first_names(outside_));
}

}  // namespace vox
