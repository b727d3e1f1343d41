#include "formats/points/points.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "formats/io/read_file.h"
#include "formats/mesh/ply_header.h"
#include "formats/points/splat_voxels.h"
#include "formats/voxels/voxel_file.h"
#include "libvox/base/error.h"

namespace vox {
namespace {

using PropertyIndices = std::array<size_t, 3>;

std::optional<PropertyIndices> all_of(const std::array<std::optional<size_t>, 3>& found) {
  if (!found[0] || !found[1] || !found[2]) return std::nullopt;
  return PropertyIndices{*found[0], *found[1], *found[2]};
}

const PlyElement* vertices_of(const PlyHeader& header) {
  const auto vertex = std::ranges::find(header.elements, "vertex", &PlyElement::name);
  return vertex == header.elements.end() ? nullptr : &*vertex;
}

// Makes points from the properties of vertices.
class VertexPoints {
 public:
  VertexPoints(const PlyElement& vertex, const PointOptions& options) : vertex_(vertex) {
    const PlyVertexLayout layout = ply_vertex_layout(vertex);
    const auto place = all_of({layout[kX], layout[kY], layout[kZ]});
    if (!place && vertex.find({"packed_position"}))
      throw Error("its splats are packed, which is not supported").hint("unpack it, as with splat-transform");
    if (!place) throw Error("vertices have no x, y and z");
    for (const PlyProperty& property : vertex.properties)
      if (property.count_type)
        throw Error(fmt::format("each point has a list '{}', which is not supported", property.name))
            .hint("leave it out, as by writing the file with CloudCompare or MeshLab");
    place_ = *place;
    color_ = all_of({layout[kRed], layout[kGreen], layout[kBlue]});
    harmonic_ = all_of({vertex.find({"f_dc_0"}), vertex.find({"f_dc_1"}), vertex.find({"f_dc_2"})});
    opacity_ = harmonic_ ? vertex.find({"opacity"}) : std::nullopt;
    // Files hold the logarithm of opacity / transparency.
    const double least = options.splat_opacity;
    least_logit_ = static_cast<float>(std::log(least / (1 - least)));
    if (opacity_ && options.splats == SplatUse::Density) find_shape();
  }

  const std::vector<PlyProperty>& properties() const { return vertex_.properties; }
  bool has_colors() const { return color_ || harmonic_; }
  bool has_shapes() const { return sizes_.has_value(); }

  // Adds the vertex whose property i has the value value(i), unless it is a splat that is too transparent.
  template <class Value>
  void add(CloudPiece& to, const Value& value) const {
    const auto point = [&] {
      return CloudPoint{{value(place_[0]), value(place_[1]), value(place_[2])}, rgb(value)};
    };
    if (sizes_) {
      add_splat(to, point(), shape(value));
    } else if (opacity_ && !(value(*opacity_) >= least_logit_)) {
      ++to.left_out;
    } else {
      to.points.push_back(point());
    }
  }

 private:
  // Files of 2D splats (Huang et al. 2024) have two sizes, because their splats are flat.
  void find_shape() {
    const auto x = vertex_.find({"scale_0"}), y = vertex_.find({"scale_1"});
    std::array<std::optional<size_t>, 4> turn;
    for (size_t i = 0; i < turn.size(); ++i) turn[i] = vertex_.find({fmt::format("rot_{}", i)});
    if (!x || !y || !std::ranges::all_of(turn, [](const auto& found) { return found.has_value(); }))
      throw Error("its splats have no sizes: expected scale_0, scale_1 and rot_0 to rot_3").about("splats");
    sizes_ = {*x, *y};
    depth_ = vertex_.find({"scale_2"});
    for (size_t i = 0; i < turn.size(); ++i) turn_[i] = *turn[i];
  }

  // Files hold the logarithms of the deviations, and quaternions that begin with their real part.
  template <class Value>
  SplatShape shape(const Value& value) const {
    return {.axes = turned_axes(value(turn_[1]), value(turn_[2]), value(turn_[3]), value(turn_[0])),
            .deviations = {portable_exp(value((*sizes_)[0])), portable_exp(value((*sizes_)[1])),
                           depth_ ? portable_exp(value(*depth_)) : 0},
            .opacity = 1 / (1 + portable_exp(-value(*opacity_)))};
  }

  template <class Value>
  uint32_t rgb(const Value& value) const {
    const auto colors = [](const PropertyIndices& of, const auto& byte) {
      return rgb_value({byte(of[0]), byte(of[1]), byte(of[2])});
    };
    if (harmonic_)
      return colors(*harmonic_,
                    [&](size_t i) { return ply_color(0.5 + kFirstHarmonic * value(i), PlyType::Float32); });
    if (!color_) return 0;
    return colors(*color_, [&](size_t i) { return ply_color(value(i), vertex_.properties[i].type); });
  }

  PlyElement vertex_;
  PropertyIndices place_ = {};
  std::optional<PropertyIndices> color_, harmonic_;
  std::optional<size_t> opacity_;
  double least_logit_ = 0;
  std::optional<std::array<size_t, 2>> sizes_;  // if splats are read with their shapes, and then:
  std::optional<size_t> depth_;
  std::array<size_t, 4> turn_ = {};
};

template <std::endian Order>
class BinaryPoints {
 public:
  BinaryPoints(const std::filesystem::path& path, VertexPoints points, uint64_t begin, uint64_t count)
      : file_(path), points_(std::move(points)), begin_(begin), count_(count) {
    for (const PlyProperty& property : points_.properties()) {
      offsets_.push_back(bytes_);
      bytes_ += size_of(property.type);
    }
    if (begin_ > file_.size() || count_ > (file_.size() - begin_) / bytes_)
      throw Error("the file ends too early").hint("is it truncated?");
  }

  CloudPiece read(size_t piece) const {
    const uint64_t first = piece * kPieceRecords, count = std::min(kPieceRecords, count_ - first);
    const auto bytes = std::make_unique_for_overwrite<std::byte[]>(count * bytes_);
    file_.read(begin_ + first * bytes_, {bytes.get(), count * bytes_});
    CloudPiece part;
    part.points.reserve(count);
    for (const std::byte* record = bytes.get(); record < bytes.get() + count * bytes_; record += bytes_) {
      points_.add(part, [&](size_t i) {
        return ply_value<Order>(record + offsets_[i], points_.properties()[i].type);
      });
    }
    return part;
  }

 private:
  ReadFile file_;
  VertexPoints points_;
  uint64_t begin_, count_;
  std::vector<size_t> offsets_;  // the offset of each property in a record
  size_t bytes_ = 0;             // size of a record
};

// Each vertex is on a line of its own.
class TextPoints {
 public:
  TextPoints(const std::filesystem::path& path, VertexPoints points, uint64_t begin, uint64_t lines_before,
             uint64_t count)
      : lines_(path, begin), points_(std::move(points)), first_(lines_before), end_(lines_before + count) {
    if (lines_.count() < end_) throw Error("the file ends too early").hint("is it truncated?");
  }

  size_t pieces() const { return lines_.pieces(); }

  CloudPiece read(size_t piece) const {
    CloudPiece part;
    std::vector<double> values(points_.properties().size());
    uint64_t line = lines_.first_of(piece);
    part.points.reserve(lines_.count_of(piece));
    lines_.for_each_in(piece, [&](const char* p) {
      if (line >= first_ && line < end_) {
        LineNumbers numbers(p);
        for (double& value : values) value = numbers.next();
        points_.add(part, [&](size_t i) { return values[i]; });
      }
      ++line;
    });
    return part;
  }

 private:
  TextLines lines_;
  VertexPoints points_;
  uint64_t first_, end_;  // the range of lines that hold vertices
};

template <class Reader>
PointCloud cloud_of(const std::shared_ptr<const Reader>& reader, size_t pieces) {
  PointCloud cloud;
  cloud.pieces = pieces;
  cloud.read = [reader](size_t piece) { return reader->read(piece); };
  return cloud;
}

// Returns the size of the data before the vertices, in bytes or, for text, in lines.
uint64_t size_before_vertices(const PlyHeader& header) {
  uint64_t size = 0;
  for (const PlyElement& element : header.elements) {
    if (element.name == "vertex") break;
    uint64_t record = header.format == PlyFormat::Text ? !element.properties.empty() : 0;
    if (header.format != PlyFormat::Text)
      for (const PlyProperty& property : element.properties) {
        if (property.count_type && element.count > 0)
          throw Error(
              fmt::format("lists of elements '{}' before the points are not supported", element.name));
        record += size_of(property.type);
      }
    size += element.count * record;
  }
  return size;
}

// The header must have vertices.
PointCloud open_vertices(const std::filesystem::path& path, const PlyHeader& header,
                         const PointOptions& options) {
  const PlyElement* vertex = vertices_of(header);
  const VertexPoints points(*vertex, options);
  const uint64_t before = size_before_vertices(header), count = vertex->count;
  const size_t pieces = (count + kPieceRecords - 1) / kPieceRecords;
  const auto binary = [&]<std::endian Order>() {
    return cloud_of(std::make_shared<const BinaryPoints<Order>>(path, points, header.bytes + before, count),
                    pieces);
  };
  PointCloud cloud;
  switch (header.format) {
    case PlyFormat::Text: {
      const auto text = std::make_shared<const TextPoints>(path, points, header.bytes, before, count);
      cloud = cloud_of(text, text->pieces());
      break;
    }
    case PlyFormat::LittleEndian:
      cloud = binary.template operator()<std::endian::little>();
      break;
    case PlyFormat::BigEndian:
      cloud = binary.template operator()<std::endian::big>();
      break;
  }
  cloud.has_colors = points.has_colors();
  cloud.has_shapes = points.has_shapes();
  return cloud;
}

PlyPoints points_in(const PlyHeader& header) {
  for (const PlyElement& element : header.elements)
    if ((element.name == "face" || element.name == "tristrips") && element.count > 0) return PlyPoints::None;
  const PlyElement* vertex = vertices_of(header);
  if (vertex == nullptr || vertex->count == 0) return PlyPoints::None;
  return vertex->find({"f_dc_0"}) && vertex->find({"opacity"}) ? PlyPoints::Splats : PlyPoints::Plain;
}

}  // namespace

PlyPoints ply_points_of(const std::filesystem::path& path) {
  try {
    const MappedFile file(path);
    return points_in(parse_ply_header(file.text(), path, UnknownLines::Ignore));
  } catch (const Error&) {
    return PlyPoints::None;  // the mesh reader reports what is wrong with it
  }
}

PointCloud open_ply_points(const std::filesystem::path& path, const PointOptions& options) {
  const MappedFile file(path);
  const PlyHeader header = parse_ply_header(file.text(), path);
  if (points_in(header) == PlyPoints::None) throw Error("is a mesh, expected points");
  return open_vertices(path, header, options);
}

}  // namespace vox
