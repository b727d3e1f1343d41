// Meshes with their materials and images, palettes, points and splats.
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "formats/images/image.h"
#include "formats/mesh/mesh.h"
#include "formats/points/points.h"
#include "tests/formats/mesh/gltf_builder.h"
#include "tests/fuzz/targets.h"

namespace vox::fuzz {
namespace {

// Everything behind this line of an OBJ input is its MTL file.
constexpr std::string_view kMtlLine = "#mtl\n";

constexpr const char* kObj =
    "mtllib a.mtl\no left\nv 0 0 0 1 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0.5\nvt 0 0\nvt 1 0\nvt 1 1\nvn 0 0 1\n"
    "usemtl a\nf 1/1/1 2/2/1 3/3/1\ng right\nusemtl b\nf -4//1 -2//1 -1//1\nf 1 2 3 4\nl 1 2\n#mtl\n"
    "newmtl a\nKd 1 0.5 0\nmap_Kd -s 2 2 -o 0.5 0 -clamp on a.png\nnewmtl b\nd 0.25\nTr 0.5\nKd spectral x\n";
constexpr const char* kPly =
    "ply\nformat ascii 1.0\ncomment c\nelement vertex 4\nproperty float x\nproperty float y\nproperty float "
    "z\n"
    "property uchar red\nproperty uchar green\nproperty uchar blue\nelement face 2\n"
    "property list uchar int vertex_indices\nend_header\n0 0 0 1 2 3\n1 0 0 4 5 6\n1 1 0 7 8 9\n0 1 1 9 9 9\n"
    "3 0 1 2\n4 0 1 2 3\n";
constexpr const char* kStl =
    "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0.5\nendloop\nendfacet\n"
    "endsolid a\n";
constexpr const char* kOff =
    "COFF\n4 2 0\n0 0 0 255 0 0 255\n1 0 0 0 255 0 255\n0 1 0 0 0 255 255\n0 0 1 9 9 9 255\n3 0 1 2\n3 0 1 3 "
    "0.5 0 0\n";

std::string binary_ply() {
  std::string file =
      "ply\nformat binary_big_endian 1.0\nelement vertex 3\nproperty double x\nproperty float y\nproperty "
      "short z\n"
      "element face 1\nproperty list uchar ushort vertex_index\nproperty uchar flags\nend_header\n";
  file += std::string(3 * 14, '\0') + std::string("\3\0\0\0\1\0\2\7", 8);
  return file;
}

std::string binary_stl() {
  std::string file(80, ' ');
  file += bytes_of(uint32_t{2});
  for (int i = 0; i < 2; ++i)
    for (const float v : {0.f, 0.f, 1.f, 0.f, 0.f, 0.f, 1.f, 0.f, 0.f, 0.f, 1.f, 0.5f}) file += bytes_of(v);
  file.resize(80 + 4 + 2 * 50);
  return file;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (size_t at = 0; at < bytes.size(); at += 3) {
    uint32_t word = 0;
    for (size_t i = 0; i < 3; ++i)
      word = word << 8 | (at + i < bytes.size() ? static_cast<uint8_t>(bytes[at + i]) : 0u);
    for (size_t i = 0; i < 4; ++i) text += at + i > bytes.size() ? '=' : kDigits[word >> (18 - 6 * i) & 63];
  }
  return text;
}

std::string png() {
  scene::Image image = {.name = "a", .width = 3, .height = 2, .pixels = {}};
  for (uint8_t i = 0; i < 6; ++i)
    image.pixels.push_back({static_cast<uint8_t>(40 * i), static_cast<uint8_t>(255 - 9 * i), 7, 255});
  return encode_png(image);
}

constexpr const char* kMaterial =
    R"({"name":"m","pbrMetallicRoughness":{"baseColorFactor":[1,0.5,0.25,1],"baseColorTexture":{"index":0,)"
    R"("extensions":{"KHR_texture_transform":{"offset":[0.5,0],"scale":[2,2],"rotation":1}}}},)"
    R"("alphaMode":"MASK","alphaCutoff":0.25})";

GltfBuilder textured(const std::string& image) {
  GltfBuilder gltf;
  gltf.add_square(kMaterial);
  gltf.add_texture(image);
  gltf.add("samplers", R"({"wrapS":33071,"wrapT":33648})");
  return gltf;
}

std::vector<std::string> glb_seeds() {
  const TestGrid grid = make_grid(2);
  std::vector<std::string> files = {textured(png()).glb()};
  if (can_read_webp()) files.push_back(textured(webp(2, 1, {{1, 2, 3, 255}, {4, 5, 6, 255}})).glb());
  if (can_read_meshopt()) {
    files.push_back(meshopt_glb(grid, "TRIANGLES", 2));
    files.push_back(meshopt_glb(grid, "INDICES", 4));
    files.push_back(meshopt_exponential_glb(grid));
    files.push_back(meshopt_quaternion_glb({{0, 0, 0, 1}, {0, 0, 0.7071f, 0.7071f}}));
  }
  if (can_read_draco()) files.push_back(draco_glb(grid, ""));
  return files;
}

std::string gltf_seed() {
  const GltfBuilder gltf = textured(png());
  return gltf.json("data:application/octet-stream;base64," + base64(gltf.bin()));
}

std::vector<std::string> image_seeds() {
  std::vector<std::string> files = {png()};
  std::string tga(18, '\0');
  tga[2] = 10, tga[12] = 4, tga[14] = 2, tga[16] = 24;  // 4 × 2, run lengths
  files.push_back(tga + std::string("\x87\1\2\3", 4));
  std::string bmp =
      "BM" + bytes_of(uint32_t{70}, uint32_t{0}, uint32_t{54}, uint32_t{40}, int32_t{2}, int32_t{2},
                      uint16_t{1}, uint16_t{24}, uint32_t{0}, uint32_t{16}, 0, 0, 0, 0);
  files.push_back(bmp + std::string(16, '\x55'));
  files.push_back("#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 2\n" +
                  std::string("\1\2\3\x80\4\5\6\x81", 8));
  if (can_read_webp()) files.push_back(webp(2, 2, std::vector<scene::Rgba8>(4, {9, 8, 7, 200})));
  return files;
}

// Checks the promises of all readers of meshes.
void check(const scene::Scene& mesh) {
  require(mesh.colors.empty() || mesh.colors.size() == mesh.positions.size(), "as many colors as vertices");
  for (const scene::Triangle& triangle : mesh.triangles) {
    require(triangle.material < mesh.materials.size(), "a triangle's material");
    for (int i = 0; i < 3; ++i) {
      require(triangle.position[i] < mesh.positions.size(), "a triangle's vertex");
      require(triangle.texcoord[i] == scene::kNone || triangle.texcoord[i] < mesh.texcoords.size(),
              "a triangle's texture coordinate");
    }
  }
  for (const scene::Material& material : mesh.materials)
    require(material.image == scene::kNone || material.image < mesh.images.size(), "a material's image");
  for (const scene::Image& image : mesh.images)
    require(image.pixels.size() == uint64_t{image.width} * image.height, "an image's pixels");
}

bool read_mesh_file(const std::string& name, std::string_view bytes) {
  const std::filesystem::path file = put(name, bytes);
  const bool read = accepts([&] { check(read_mesh(file)); });
  accepts([&] { check(read_mesh(file, {.up = dag::UpAxis::Z, .objects = MeshObjects::Apart})); });
  return read;
}

bool read_obj_and_mtl(std::string_view bytes) {
  const size_t line = bytes.find(kMtlLine);
  put("a.mtl", line == bytes.npos ? std::string_view("\n") : bytes.substr(line + kMtlLine.size()));
  static const std::filesystem::path image = put("a.png", png());
  return read_mesh_file("a.obj", bytes.substr(0, line));
}

bool read_image_bytes(std::string_view bytes) {
  return accepts([&] {
    const scene::Image image = decode_image(std::as_bytes(std::span(bytes)), "a");
    require(image.pixels.size() == uint64_t{image.width} * image.height, "an image's pixels");
  });
}

Target mesh(const char* name, std::vector<std::string> seeds) {
  return {name, std::move(seeds),
          [file = std::string("a.") + name](std::string_view bytes) { return read_mesh_file(file, bytes); }};
}

Target palette(const char* name, std::string seed) {
  return {name, {std::move(seed)}, [file = std::string("a.") + name](std::string_view bytes) {
            const std::filesystem::path path = put(file, bytes);
            return accepts([&] {
              const scene::Palette read = read_palette(path);
              require(read.count > 0 && read.count <= scene::kPaletteSize, "a palette's size");
            });
          }};
}

}  // namespace

std::vector<Target> mesh_targets() {
  return {{"obj", {kObj}, read_obj_and_mtl},
          mesh("ply", {kPly, binary_ply()}),
          mesh("stl", {kStl, binary_stl()}),
          mesh("off", {kOff}),
          mesh("gltf", {gltf_seed()}),
          mesh("glb", glb_seeds()),
          {"image", image_seeds(), read_image_bytes},
          palette("gpl", "GIMP Palette\nName: a\nColumns: 2\n# c\n255 0 0\tred\n  0  0 255\tdeep blue\n"),
          palette("pal", "JASC-PAL\n0100\n2\n255 0 0\n0 128 0\n"),
          palette("hex", "ff0000\n#00ff00\n")};
}

namespace {

// Points and splats.

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
