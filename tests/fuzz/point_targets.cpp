// Points and splats.
#include <vector>

#include "formats/points/points.h"
#include "tests/fuzz/targets.h"

namespace vox::fuzz {
namespace {

constexpr size_t kMostPieces = 4;

std::string las(int version, int format) {
  const auto header_bytes = static_cast<uint16_t>(version == 4 ? 375 : 227);
  std::string file = "LASF" + std::string(20, '\0') + '\x01' + static_cast<char>(version);
  file.resize(94);
  const uint16_t length = format == 2 ? 26 : 36;
  file += bytes_of(header_bytes, uint32_t{header_bytes}, uint32_t{0}, static_cast<uint8_t>(format), length,
                   uint32_t{version == 4 ? 0u : 3u});
  file.resize(131);
  file += bytes_of(0.5, 1.0, 1.5, 10.0, 11.0, 12.0);
  file.resize(header_bytes);
  if (version == 4) file.replace(247, 8, bytes_of(uint64_t{3}));
  for (int32_t i = 0; i < 3; ++i) {
    std::string record = bytes_of(i, 2 * i, -i);
    record.resize(length - 6u);
    file += record + bytes_of(uint16_t{65535}, static_cast<uint16_t>(i << 8), uint16_t{0});
  }
  return file;
}

std::string splat_properties(const std::string& format) {
  std::string header = "ply\nformat " + format + " 1.0\nelement vertex 2\n";
  for (const char* name : {"x", "y", "z", "f_dc_0", "f_dc_1", "f_dc_2", "opacity", "scale_0", "scale_1",
                           "scale_2", "rot_0", "rot_1", "rot_2", "rot_3"})
    header += std::string("property float ") + name + "\n";
  return header + "end_header\n";
}

std::string splat_ply() {
  std::string file = splat_properties("binary_little_endian");
  for (int i = 0; i < 2; ++i)
    for (const float v :
         {static_cast<float>(i), 2.f, 3.f, 0.1f, 0.2f, 0.3f, 3.f, -1.f, -2.f, -1.f, 1.f, 0.f, 0.1f, 0.f})
      file += bytes_of(v);
  return file;
}

std::string splat_text() {
  return splat_properties("ascii") + "0 0 0 1 1 1 4 -1 -1 -1 1 0 0 0\n1 2 3 0 0 0 -9 -2 -3 -4 0 1 0 0\n";
}

std::string splats() {
  std::string file;
  for (int i = 0; i < 3; ++i)
    file +=
        bytes_of(static_cast<float>(i), 2.f, 3.f, 0.5f, 1.f, 2.f, uint32_t{0xff030201}, uint32_t{0x80da80da});
  return file;
}

std::string spz(uint32_t version, uint8_t degree) {
  std::string file = bytes_of(uint32_t{0x5053474e}, version, uint32_t{2}, degree, uint8_t{12}, uint16_t{0});
  constexpr size_t kRest[] = {0, 9, 24, 45};
  return file + std::string(2 * ((version == 1 ? 6 : 9) + 1 + 3 + 3 + (version < 3 ? 3 : 4) + kRest[degree]),
                            '\x80');
}

constexpr const char* kPoints =
    "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
    "property uchar red\nproperty uchar green\nproperty uchar blue\nend_header\n0 0 0 1 2 3\n1 0 0 4 5 6\n1 "
    "1 0 7 8 9\n";

bool read_cloud(const std::filesystem::path& file) {
  return accepts([&] {
    for (const SplatUse use : {SplatUse::Density, SplatUse::Centers}) {
      const PointCloud cloud = open_points(std::vector{file}, {.splats = use});
      for (size_t piece = 0; piece < std::min(cloud.pieces, kMostPieces); ++piece) {
        const CloudPiece read = cloud.read(piece);
        require(!cloud.has_shapes || read.shapes.size() == read.points.size(), "a shape for each splat");
      }
      if (cloud.pieces <= kMostPieces) radius_between_points(cloud, survey(cloud));
    }
  });
}

Target cloud(const char* name, const std::string& ending, std::vector<std::string> seeds) {
  return {name, std::move(seeds),
          [file = "points." + ending](std::string_view bytes) { return read_cloud(put(file, bytes)); }};
}

}  // namespace

std::vector<Target> point_targets() {
  return {cloud("las", "las", {las(2, 2), las(4, 7)}),
          cloud("xyz", "xyz", {"0 0 0 1 2 3\n1.5 -2 3e1 4 5 6\n"}),
          cloud("pts", "pts", {"3\n0 0 0 5 1 2 3\n1 0 0 5 1 2 3\n0 1 1 6 1 2 3\n"}),
          cloud("points", "ply", {kPoints, splat_ply(), splat_text()}),
          cloud("splat", "splat", {splats()}),
          {"spz", {spz(1, 0), spz(2, 0), spz(3, 1)}, [](std::string_view bytes) {
             return read_cloud(put("points.spz", gzipped(bytes)));
           }}};
}

}  // namespace vox::fuzz
