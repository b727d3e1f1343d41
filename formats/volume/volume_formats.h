// The formats of volumes, one after the other: NRRD, NIfTI, MetaImage, and values without a header.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/volume/stored_volume.h"
#include "formats/volume/volume_data.h"
#include "libvox/base/geometry.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/volume/volume.h"

namespace vox {

// Reads and writes NRRD: a dense grid of values behind a text header.
// https://teem.sourceforge.net/nrrd/format.html

inline constexpr uint32_t kMaxDenseResolution = 2048;  // for a whole scene, which then takes 8 GiB

// Throws Error with a hint how to make the result smaller if the resolution is larger.
void check_dense_resolution(uint32_t resolution, const std::filesystem::path& path);

// Writes raw uint8 values, x fastest: 0 for an empty voxel, otherwise material + 1 (1 if the scene has no
// materials). Without a clip box it writes the whole scene, whose resolution may not exceed
// kMaxDenseResolution; with one, only the part inside it.
void write_nrrd(const dag::VoxelScene& scene, const std::filesystem::path& path,
                const std::optional<VoxelBox>& clip);

// Writes the values of the volume in their own type.
void write_nrrd(const volume::Volume& volume, const std::filesystem::path& path);

// True if a file with this content was written by write_nrrd().
bool is_nrrd_of_vox(std::string_view file);

// Opens a file of two or three dimensions, or one channel of a file that has several (volume_data.h). The
// encoding may be raw, gzip or text, and the values may lie in the same file, in another one or in several
// (.nhdr).
StoredVolume open_nrrd(const std::filesystem::path& path, std::optional<uint32_t> channel);

// The header of an NRRD file and its description of the file's axes.
// https://teem.sourceforge.net/nrrd/format.html

struct NrrdHeader {
  std::map<std::string, std::string, std::less<>> fields;  // names in lower case
  std::string_view files;                                  // the lines after `data file: LIST`
  uint64_t bytes = 0;

  std::string_view value(std::string_view name) const;
  std::string_view needed(std::string_view name) const;  // throws Error if it is missing
  std::string_view value(std::string_view name, std::string_view other_name) const;
};

// Reads the header up to the empty line that ends it; a detached header need not have one. The result has
// views into `text` for listed files.
NrrdHeader read_nrrd_header(std::string_view text);

// The axes of a file: at most three of space, and at most one of channels, which is the first or the last.
struct NrrdAxes {
  std::vector<int64_t> sizes;           // the sizes of the axes of space, in voxels
  std::vector<std::string_view> steps;  // their `space directions`, or empty
  std::vector<std::string_view> spacings;
  Channels channels;
};

NrrdAxes nrrd_axes(const NrrdHeader& header);

GridPlacement nrrd_placement(const NrrdHeader& header, const NrrdAxes& axes);

// Reads NIfTI-1 and NIfTI-2: a volume in one file (.nii, .nii.gz), or a header (.hdr) beside its values (.img).
// https://nifti.nimh.nih.gov/nifti-1, https://nifti.nimh.nih.gov/nifti-2

// Opens a file of two or three dimensions, or one channel of a file that has several (volume_data.h). Values
// that the header scales become f32. The position in the world comes from the header's sform or, without one,
// its qform; z is up.
StoredVolume open_nifti(const std::filesystem::path& path, std::optional<uint32_t> channel);

// The header of a NIfTI file, of either version and byte order.

inline constexpr size_t kMostNiftiHeader = 540;  // bytes

struct NiftiHeader {
  ByteOrder order = ByteOrder::Little;
  bool one_file = false;              // the values follow the header
  std::array<int64_t, 8> sizes = {};  // the number of axes, then their sizes
  int64_t type = 0;                   // NIfTI's code for the type
  uint64_t offset = 0;                // the position of the values in their file, in bytes
  double slope = 0, intercept = 0;    // a slope of 0 leaves values as they are
  GridPlacement placement;
};

// Reads the header from the first bytes of a file. Throws Error if they are not a NIfTI header.
NiftiHeader read_nifti_header(std::span<const std::byte> bytes);

// The type that a code stands for, and the number of such values in a voxel: colours have several.
struct NiftiValues {
  StoredType type;
  int64_t count = 1;
};
// Throws Error for types that are not supported.
NiftiValues nifti_values(int64_t code);

// Reads MetaImage: a text header (.mhd) beside the values, or before them (.mha).
// https://itk.org/Wiki/ITK/MetaIO/Documentation

// Opens a file of two or three dimensions. If it has several channels, `channel` says which one is read
// (volume_data.h).
StoredVolume open_meta_image(const std::filesystem::path& path, std::optional<uint32_t> channel);

// Reads files of values without a header, x fastest, such as those of the Open SciVis data sets. The file's
// name or the caller states the size and the type.

struct RawOptions {
  std::optional<Int3> size = {};
  std::optional<StoredType> type = {};
  ByteOrder order = ByteOrder::Little;
  uint64_t offset = 0;

  bool any() const { return size || type || order != ByteOrder::Little || offset != 0; }
};

// A size or type that the options leave open is taken from a name such as bonsai_256x256x178_uint8.raw.
StoredVolume open_raw(const std::filesystem::path& path, const RawOptions& options);

// Reads two formats that are both called .dat. One is binary: three uint16 state the size, and uint16 values
// follow (the stag beetle and the Christmas tree of TU Wien). The other is a text that names a raw file
// (ObjectFileName, Resolution, Format).

StoredVolume open_dat(const std::filesystem::path& path);

}  // namespace vox
