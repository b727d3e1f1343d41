#include "formats/io/foreign_file.h"

#include <fmt/format.h>

#include "formats/file_types.h"
#include "libvox/base/error.h"

namespace vox {

void refuse_foreign(const std::filesystem::path& path) {
  std::error_code failed;
  const FileType* type = file_type(path, FileRole::Foreign);
  if (type == nullptr || !std::filesystem::is_regular_file(path, failed)) return;
  throw Error(fmt::format("is {}, which vox does not support", type->name))
      .at(path.string())
      .hint(std::string(type->hint));
}

}  // namespace vox
