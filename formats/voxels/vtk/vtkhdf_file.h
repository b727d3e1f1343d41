// Both kinds of VTKHDF files share this code: the file with its attributes, the names of the materials, and
// datasets of cells that are written chunk by chunk.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "formats/io/h5.h"
#include "libvox/base/geometry.h"
#include "libvox/dag/voxel_scene.h"

namespace vox {

inline constexpr uint64_t kMostVtkCells = uint64_t{2048} * 2048 * 2048;

// Throws Error if there are more than kMostVtkCells cells.
void check_vtk_cells(uint64_t cells, const dag::VoxelScene& scene, const std::filesystem::path& path);

class VtkFile {
 public:
  VtkFile(const std::filesystem::path& path, const std::string& type);

  const h5::Object& root() const { return vtk_; }  // the group /VTKHDF
  void write_materials(const dag::VoxelScene& scene);
  void commit();

 private:
  h5::NewFile file_;
  h5::Object vtk_;
};

// These write attributes and a dataset with the types that VTK's own writers use. Texts are ASCII with a fixed length.
void write_vtk_text(const h5::Object& object, const std::string& name, const std::string& text);
void write_vtk_boxes(const h5::Object& level, std::span<const std::array<int32_t, 6>> boxes);

// Writes make(0) … make(count - 1) into a chunked dataset, made and deflated in parallel.
struct DatasetChunk {
  std::vector<hsize_t> first;  // the index of its first value in each dimension
  std::vector<uint8_t>
      values;  // all its cells' values, even beyond the array's end; empty if it is not stored
};

// Creates the dataset for them. Chunks without voxels are never written, and read as the value `fill`.
h5::Object create_chunks(const h5::Object& parent, const std::string& name, hid_t type, hid_t fill_type,
                         const void* fill, const std::vector<hsize_t>& dims,
                         const std::vector<hsize_t>& chunk);
void write_deflated_chunks(const h5::Object& dataset, size_t count,
                           const std::function<DatasetChunk(size_t)>& make);

enum class VtkArray : uint8_t { Material, Color };

// An array of voxels or cells: the bytes of `material`, or red, green and blue of `color` in the last dimension. Chunks
// that are never written read as 0.
class VtkCells {
 public:
  // `chunk` has as many dimensions as `dims`, both without that of a color, and is not larger in any.
  VtkCells(const h5::Object& parent, VtkArray array, std::vector<hsize_t> dims, std::vector<hsize_t> chunk);

  // Writes make(0) … make(count - 1). Their first indices lack a color's dimension.
  void write(size_t count, const std::function<DatasetChunk(size_t)>& make) const;

 private:
  bool is_color_;
  h5::Object dataset_;
};

}  // namespace vox
