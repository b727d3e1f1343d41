#include "tools/common/targets.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "libvox/base/error.h"
#include "libvox/base/nearest_word.h"

namespace vox {
namespace {

// The names of the files beside this one.
std::vector<std::string> names_beside(const std::filesystem::path& file) {
  constexpr size_t kMostNames = 10000;
  const std::filesystem::path folder = file.parent_path();
  std::vector<std::string> names;
  std::error_code failed;
  const std::filesystem::directory_iterator entries(folder.empty() ? "." : folder, failed);
  for (const std::filesystem::directory_entry& entry : entries) {
    if (names.size() == kMostNames) break;
    if (entry.is_regular_file(failed)) names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace

void check_input(const std::filesystem::path& file) {
  std::error_code failed;
  const std::filesystem::file_status status = std::filesystem::status(file, failed);
  if (status.type() != std::filesystem::file_type::not_found) return;
  const std::vector<std::string> names = names_beside(file);
  const std::string name = file.filename().string();
  throw Error("no such file")
      .at(file.string())
      .hint(did_you_mean(name, std::vector<std::string_view>(names.begin(), names.end())));
}

void check_target(const Target& target, const std::filesystem::path& scene, Overwrite overwrite) {
  std::error_code absent;
  if (std::filesystem::equivalent(target.file, scene, absent))
    throw UsageError(
        fmt::format("{} would replace '{}', which is the scene", target.what, target.file.string()));
  check_writable(target.file, target.kind, overwrite);
}

}  // namespace vox
