// Reads any file of points. The end of this header reads the lines of a large text file, for several of the readers.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formats/io/read_file.h"
#include "formats/io/scan.h"
#include "libvox/base/error.h"
#include "libvox/base/vec.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/voxelize/grid.h"

namespace vox {

// A point of a cloud. Points come from a file's reader piece by piece, so that files of any size are read in limited
// memory.
struct CloudPoint {
  Vec3d place;
  uint32_t rgb = 0;  // see rgb_value(); 0 without colors
};

// The extent of a splat around its center. Its opacity at a place is `opacity` times e^(-d² / 2), where d is the
// distance from the center in standard deviations.
struct SplatShape {
  std::array<Vec3d, 3> axes;  // vectors of length 1, at right angles
  Vec3d deviations;           // standard deviations along the axes, in the file's units
  double opacity = 1;         // at the center
};

// A splat does not count at places where its opacity is less than this.
inline constexpr double kLeastSplatWeight = 1.0 / 1024;

// Some of a cloud's points, and the number of points that were left out of the same part of the file:
// points marked as withheld, and splats that are too transparent.
struct CloudPiece {
  std::vector<CloudPoint> points;
  std::vector<SplatShape> shapes = {};  // one for each point, if the cloud has shapes
  uint64_t left_out = 0;
};

struct PointCloud {
  bool has_colors = false;
  bool has_shapes = false;          // true if the points are splats
  dag::UpAxis up = dag::UpAxis::Y;  // the axis that points up

  // Several threads call read() at once, and a piece may be read more than once. The function owns
  // everything that it needs, and throws an Error that names the file.
  size_t pieces = 0;
  std::function<CloudPiece(size_t piece)> read;
};

// The number of records in a piece of a file whose records have equal lengths.
inline constexpr uint64_t kPieceRecords = 1 << 14;

// Rotates the cloud so that its `up` axis becomes y; see voxelize::turn_up().
PointCloud turned_up(PointCloud cloud, dag::UpAxis up);

// Joins clouds into one. It has colors if all of them have. `clouds` must hold at least one.
PointCloud joined(std::vector<PointCloud> clouds);

// The results of a first pass over a cloud.
struct CloudSurvey {
  voxelize::Box box;        // box of all points with finite coordinates; if there are none, min > max
  uint64_t points = 0;      // number of points in the box
  uint64_t not_finite = 0;  // number of points with coordinates that are not finite
  uint64_t left_out = 0;    // see CloudPiece
  // The number of splats that are too large for the cloud, and the least deviation of one (with_small_splats()).
  uint64_t oversized = 0;
  double least_oversized = std::numeric_limits<double>::infinity();
};
CloudSurvey survey(const PointCloud& cloud);

// Returns a radius with which the points of a surface touch each other: 1.25 times the distance within which
// nine of ten points have eight others. Returns 0 if there are too few points.
double radius_between_points(const PointCloud& cloud, const CloudSurvey& found);

inline bool is_finite(const Vec3d& place) {
  const double sum = place.x * 0 + place.y * 0 + place.z * 0;  // NaN for infinity and NaN
  return sum == 0;
}

// The way in which splats become voxels.
enum class SplatUse {
  Density,  // as soft ellipsoids, see splat_voxels()
  Centers   // as points at their centers; sizes are ignored
};

struct PointOptions {
  std::optional<dag::UpAxis> up = std::nullopt;  // the axis that points up, instead of the file's
  SplatUse splats = SplatUse::Density;
  // The least opacity of a filled voxel (for Density) or of a splat that is kept (for Centers).
  double splat_opacity = 0.5;
};

// Opens several files as one cloud, in which y points up. `paths` must hold at least one. Throws an Error
// that names the file and, if there is one, the line.
PointCloud open_points(std::span<const std::filesystem::path> paths, const PointOptions& options = {});

// These functions read one format each. They do not rotate the points, but report which axis is up.
// open_points() adds the file's name to their Errors.
PointCloud open_las(const std::filesystem::path& path);
PointCloud open_ply_points(const std::filesystem::path& path, const PointOptions& options = {});
PointCloud open_point_text(const std::filesystem::path& path);  // .xyz and .pts
PointCloud open_splat(const std::filesystem::path& path, const PointOptions& options = {});
PointCloud open_spz(const std::filesystem::path& path, const PointOptions& options = {});

// The points that a PLY file holds instead of a mesh.
enum class PlyPoints {
  None,   // a mesh, or not a PLY file
  Plain,  // points, with or without colors
  Splats  // 3D Gaussian splats (Kerbl et al. 2023): color as spherical harmonics, and opacity
};

// Reads only the header.
PlyPoints ply_points_of(const std::filesystem::path& path);

// Reads the numbers of a line one after the other.
class LineNumbers {
 public:
  explicit LineNumbers(const char* p) : p_(skip_blanks(p)) {}

  bool at_end() const { return is_line_end(*p_); }
  bool at_number() const { return !at_end() && scan_number(p_).end != nullptr; }

  // Throws Error if there is no number left.
  double next() {
    if (at_end()) throw Error("the line has too few numbers");
    const Number number = scan_number(p_);
    if (number.end == nullptr)
      throw Error(fmt::format("expected a number instead of '{:.32}'", std::string(p_, word_end(p_))));
    p_ = skip_blanks(number.end);
    return number.value;
  }

 private:
  const char* p_;
};

// The lines of a large text file from byte `begin` on, without empty lines and comments ("#" or "//"), in pieces that
// are read independently.
class TextLines {
 public:
  // Throws Error if there is no such file, or if a line is longer than any line of numbers can be.
  TextLines(const std::filesystem::path& path, uint64_t begin);

  uint64_t count() const { return firsts_.back(); }
  size_t pieces() const { return firsts_.size() - 1; }
  uint64_t first_of(size_t piece) const { return firsts_[piece]; }  // the first line's number, from 0
  uint64_t count_of(size_t piece) const { return firsts_[piece + 1] - firsts_[piece]; }

  // Calls body(p) with the first word of each line of a piece (formats/io/scan.h). Several threads may call
  // it. The file and the line are added to an Error that body throws.
  template <class Body>
  void for_each_in(size_t piece, const Body& body) const {
    const Block block = read(piece);
    for (const char* p = block.text.data() + block.first; p < block.text.data() + block.end; p = next(p)) {
      p = skip_blanks(p);
      if (is_line_end(*p) || *p == '#' || (p[0] == '/' && p[1] == '/')) continue;
      try {
        body(p);
      } catch (Error& error) {
        fail(error, block.offset + static_cast<uint64_t>(p - block.text.data()));
      }
    }
  }

 private:
  // A piece's lines begin at `first` or later and before `end` of the text, which is at `offset` in the file.
  struct Block {
    std::string text;
    uint64_t offset = 0;
    size_t first = 0, end = 0;
  };

  static const char* next(const char* p) {
    while (!is_line_end(*p)) ++p;
    return p + 1;
  }
  Block read(size_t piece) const;
  void append(std::string& text, uint64_t offset, uint64_t bytes) const;
  [[noreturn]] void fail(const Error& error, uint64_t offset) const;

  std::filesystem::path path_;
  ReadFile file_;
  uint64_t begin_;
  std::vector<uint64_t> firsts_;  // the first line of each piece, and at the end the number of all lines
};

}  // namespace vox
