// Reads and writes the formats of volumes: NRRD, NumPy, NIfTI, MetaImage, and values without a header. The first
// part is common to all: the layout of values in files, text headers, and the writing of dense grids.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/io/output_file.h"
#include "formats/io/scan.h"
#include "formats/volume/stored_volume.h"
#include "libvox/base/geometry.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/ranks/ranks.h"
#include "libvox/volume/volume.h"

namespace vox {

enum class ByteOrder { Little, Big };
enum class Encoding { Raw, Gzip, Zlib, Text };  // Text: numbers separated by blanks

// The layout of a volume's values in one or several files, for all formats of volumes.
struct VolumeData {
  std::vector<std::filesystem::path> files;  // each holds an equal part of the values, in order
  // The bytes before the data in each file; the data extend to the file's end. Without an offset, raw data are
  // the last bytes of the file.
  std::optional<uint64_t> offset = 0;
  uint64_t lines = 0;               // lines to skip after the offset
  uint64_t bytes_behind_lines = 0;  // bytes to skip after these lines
  // For gzip: the number of bytes before the values in the decompressed data, and the start that these must have.
  uint64_t inflated_offset = 0;
  std::vector<std::byte> inflated_start = {};
  ByteOrder order = ByteOrder::Little;
  Encoding encoding = Encoding::Raw;
};

// Opens the volume that `info` describes; errors name `info.source`. Throws Error if the files do not contain
// exactly the values that the size requires.
StoredVolume volume_from_file(StoredInfo info, const VolumeData& data);

ByteOrder parse_byte_order(std::string_view name);  // "little" or "big"

// The number and the order of channels: the values that each voxel has, such as colors or times. One channel is read
// as a volume.
struct Channels {
  enum class Order {
    Interleaved,  // the values of a voxel follow one another
    Planar        // the voxels of a channel follow one another
  };
  int64_t count = 1;
  Order order = Order::Interleaved;
};

// Opens channel `wanted`, counted from 0, in the way of volume_from_file(); `info` describes the volume of
// one channel. Throws Error if there are several channels and none is wanted, and UsageError if the wanted
// channel does not exist.
StoredVolume channel_from_file(const StoredInfo& info, const VolumeData& data, const Channels& channels,
                               std::optional<uint32_t> wanted);

// The axes of a volume need not run along those of the world.

// The places of voxels, as a header describes them.
struct GridPlacement {
  std::array<Vec3d, 3> steps = {};         // the step from voxel to voxel, for each axis of the file
  std::optional<Vec3d> first_center = {};  // voxel (0, 0, 0)'s; without it the volume begins at the origin
};

// Returns the volume with the world's axes x, y and z; the file's axes are exchanged if necessary. An axis
// that runs backwards has a negative spacing. An axis that is rotated against the world's is replaced by the
// nearest one, with its spacing and around the same center, and a warning states the angle. Throws Error for
// a step of 0.
StoredVolume placed(StoredVolume volume, const GridPlacement& placement);

// Returns the same volume with all axes running forwards.
StoredVolume forwards(StoredVolume volume);

// These functions read the text headers of volumes: lines of "name: value" or "name = value".

std::vector<std::string_view> words_of(std::string_view text);

// Removes the first line from `text` and returns it without its line end.
std::string_view take_line(std::string_view& text);

// Reads the whole word as a number. Throws Error that mentions `what`.
int64_t header_integer(std::string_view word, std::string_view what);
double header_number(std::string_view word, std::string_view what);

// Reads `count` numbers separated by blanks. Throws Error if there are fewer or more.
std::vector<int64_t> header_integers(std::string_view text, std::string_view what, size_t count);
std::vector<double> header_numbers(std::string_view text, std::string_view what, size_t count);

// True if a header's field names several files, over which the values are spread: a list, "LIST", or a pattern with
// numbers, "slice%03d.raw 1 100 1".
bool names_several_files(std::string_view field);

// Returns the files of "slice%03d.raw 1 100 1": a pattern, the first number, the last number and the step,
// which is optional. Throws Error if there are more than `most`, or if a file does not exist; the error
// names the first such file.
std::vector<std::filesystem::path> numbered_files(std::string_view field, const std::filesystem::path& folder,
                                                  int64_t most);

// Returns the files that the lines of a text name, up to the first empty line. Throws Error in the same
// cases.
std::vector<std::filesystem::path> listed_files(std::string_view lines, const std::filesystem::path& folder,
                                                int64_t most);

// Converts the `count` numbers of a file's text from `offset` on, separated by blanks or line ends, to values of this
// type. Throws Error that
// names file and line if there are fewer or more numbers, or if one does not fit the type.
std::shared_ptr<NamelessFile> parsed_values(std::string_view text, uint64_t offset, StoredType type,
                                            uint64_t count, const std::filesystem::path& source);

// These functions write dense grids of values, x fastest, as NRRD, NumPy's .npy or raw values; the path decides.

inline constexpr uint32_t kMaxDenseResolution = 2048;  // for a whole scene; the file then takes 8 GiB

// Throws Error if the resolution is larger, with a hint for making the result smaller.
void check_dense_resolution(uint32_t resolution, const std::filesystem::path& path);

// True if the path is one for a dense grid.
bool is_dense_grid(const std::filesystem::path& path);

// The layout of a scene's voxels in a .raw file.
struct RawLayout {
  enum class Fastest : uint8_t { X, Z };  // the axis along which values follow one another; y comes second
  Fastest fastest = Fastest::X;
  // 8 or 16 bits (little-endian), or 1 bit, which is set for filled voxels. With 1 bit, the first voxel is the lowest
  // bit of a byte, and each row along the fastest axis begins with a new byte.
  uint32_t bits = 8;
};

// Writes uint8 values: 0 for an empty voxel, otherwise material + 1 (1 if the scene has no materials). If colors stand for
// named materials, the values are uint16, except in .raw files of other layouts. Without a
// clip box it writes the whole scene, whose resolution may not exceed kMaxDenseResolution; with one, only the
// part inside it. The layout is that of .raw files, which have no header.
void write_dense_grid(const dag::VoxelScene& scene, const std::filesystem::path& path,
                      const std::optional<VoxelBox>& clip, ranks::Ranks& ranks = ranks::alone(),
                      const RawLayout& layout = {});

// Writes the values of the volume in their own type.
void write_dense_grid(const volume::Volume& volume, const std::filesystem::path& path,
                      Floats floats = Floats::F32);

// NRRD has a text header.
// https://teem.sourceforge.net/nrrd/format.html

// Returns the header for a grid, with comment lines that begin with #.
std::string nrrd_header(const volume::VolumeInfo& info, std::string_view comment);

// True if vox wrote a file with this content.
bool is_nrrd_of_vox(std::string_view file);

// Opens a file of two or three dimensions, or one channel of a file that has several (Channels). The
// encoding may be raw, gzip or text. The values may be in the same file, in another file or in several
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

// Arrays of numpy.save() have voxels as elements [x, y, z].
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html

// Returns the header of a grid that is written.
std::string npy_header(const volume::VolumeInfo& info, Floats floats = Floats::F32);

// Opens an array of two or three axes, in either order, or one channel of an array whose fourth axis has several.
StoredVolume open_npy(const std::filesystem::path& path, std::optional<uint32_t> channel);

struct NpyHeader {
  StoredType type = StoredType::U8;
  ByteOrder order = ByteOrder::Little;
  bool first_axis_fastest = false;  // true for Fortran's order; else the last axis is fastest
  std::vector<int64_t> shape;       // two to four axes
  uint64_t bytes = 0;               // the number of bytes before the values
};
NpyHeader read_npy_header(std::string_view file);

// NIfTI-1 and NIfTI-2 have a volume in one file (.nii, .nii.gz), or a header (.hdr) beside its values (.img).
// https://nifti.nimh.nih.gov/nifti-1, https://nifti.nimh.nih.gov/nifti-2
//
// Opens a file of two or three dimensions, or one channel of a file that has several (Channels). Values
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

// The type that a code stands for, and the number of such values in a voxel, which is more than one for colors.
struct NiftiValues {
  StoredType type;
  int64_t count = 1;
};
// Throws Error for types that are not supported.
NiftiValues nifti_values(int64_t code);

// MetaImage has a text header (.mhd) beside the values, or before them (.mha).
// https://itk.org/Wiki/ITK/MetaIO/Documentation
//
// Opens a file of two or three dimensions. If it has several channels, `channel` selects one.
StoredVolume open_meta_image(const std::filesystem::path& path, std::optional<uint32_t> channel);

// The facts that a caller states about a file of values without a header. Such files have x fastest, like those of
// the Open SciVis data sets.
struct RawOptions {
  std::optional<Int3> size = {};
  std::optional<StoredType> type = {};
  ByteOrder order = ByteOrder::Little;
  uint64_t offset = 0;

  bool any() const { return size || type || order != ByteOrder::Little || offset != 0; }
};

// A size or type that the options leave open is taken from a name such as bonsai_256x256x178_uint8.raw.
StoredVolume open_raw(const std::filesystem::path& path, const RawOptions& options);

// Opens a .dat file, of either of the two formats of this name. One is binary: three uint16 state the size, and
// uint16 values follow (the stag beetle and the Christmas tree of TU Wien). The other is a text that names a raw file
// (ObjectFileName, Resolution, Format).
StoredVolume open_dat(const std::filesystem::path& path);

}  // namespace vox
