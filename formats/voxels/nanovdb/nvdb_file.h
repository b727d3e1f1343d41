// The grid of a .nvdb file: its bytes, decompressed, in the layout that a grid has in memory. The file may
// have any supported version and codec.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "formats/voxels/nanovdb/nvdb_layout.h"
#include "libvox/base/error.h"

namespace vox::nvdb {

class GridBytes {
 public:
  // `owner` keeps the bytes alive.
  GridBytes(std::span<const std::byte> bytes, std::shared_ptr<const void> owner)
      : bytes_(bytes), owner_(std::move(owner)) {}

  uint64_t size() const { return bytes_.size(); }

  // Returns the part that begins at `at`, which may be any number. Throws Error if the part is not inside the
  // grid.
  std::span<const std::byte> part(uint64_t at, uint64_t count, std::string_view what) const {
    if (at > bytes_.size() || count > bytes_.size() - at)
      throw Error(
          fmt::format("{} at byte {} is not within the {} bytes of the grid", what, at, bytes_.size()))
          .hint("is the file damaged?");
    return bytes_.subspan(at, count);
  }
  template <class T>
  T get(uint64_t at, std::string_view what) const {
    T value;
    std::memcpy(&value, part(at, sizeof value, what).data(), sizeof value);
    return value;
  }

 private:
  std::span<const std::byte> bytes_;
  std::shared_ptr<const void> owner_;
};

// Returns the first grid of the file; a warning says if there are more. Throws Error that names the file.
GridBytes open_grid(const std::filesystem::path& path);

// Returns the array of this name beside the tree, if there is one.
std::optional<std::span<const std::byte>> blind_data(const GridBytes& grid, const GridHead& head,
                                                     std::string_view name);

}  // namespace vox::nvdb
