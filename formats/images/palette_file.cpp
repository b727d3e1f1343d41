#include "formats/images/image.h"

#include <fmt/format.h>
#include <simdjson.h>
#include <stb_image_write.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/file_types.h"
#include "formats/io/output_file.h"
#include "formats/io/read_file.h"
#include "formats/io/scan.h"
#include "formats/mesh/gltf_json.h"
#include "formats/mesh/mesh.h"
#include "formats/script/script_parts.h"
#include "libvox/base/error.h"
#include "libvox/scene/oklab.h"

namespace vox {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMaxTextBytes = 1 << 20;

struct Line {
  size_t number;  // counts from 1
  std::string_view text;
};

[[noreturn]] void fail(const fs::path& path, std::string problem) {
  throw Error(std::move(problem)).at(path.string());
}

[[noreturn]] void fail(const fs::path& path, const Line& line, std::string problem) {
  throw Error(std::move(problem)).at(fmt::format("{}:{}", path.string(), line.number));
}

std::string read_text(const fs::path& path) {
  std::error_code failed;
  if (!fs::exists(path, failed)) fail(path, "no such file");
  if (!fs::is_regular_file(path, failed)) fail(path, "is not a file");
  uint64_t bytes = fs::file_size(path, failed);
  if (failed || bytes > kMaxTextBytes) fail(path, "is too large for a palette");
  std::ifstream file(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (!file.is_open() || file.bad()) fail(path, "cannot be read");
  return text;
}

// Returns the non-empty lines, trimmed.
std::vector<Line> lines_of(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  std::vector<Line> lines;
  for (size_t number = 1; !text.empty(); ++number) {
    size_t end = std::min(text.find('\n'), text.size());
    if (Line line = {number, trimmed(text.substr(0, end))}; !line.text.empty()) lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

scene::Rgb8 unpacked(uint32_t rgb) {
  return {static_cast<uint8_t>(rgb >> 16), static_cast<uint8_t>(rgb >> 8), static_cast<uint8_t>(rgb)};
}

void add_entry(const fs::path& path, const Line& line, scene::Palette& palette, scene::Rgb8 color,
               std::string_view name) {
  if (palette.count == scene::kPaletteSize)
    fail(path, line, fmt::format("more than {} colors, the most that a palette holds", scene::kPaletteSize));
  palette.colors[palette.count] = color;
  palette.names[palette.count++] = name.empty() ? scene::hex_name(color) : std::string(name);
}

// Removes a number from 0 to 255 from the start of the text, and returns it. A space or the end must follow
// it.
std::optional<uint8_t> take_byte(std::string_view& text) {
  text = trimmed(text);
  uint8_t value = 0;
  const char* last = text.data() + text.size();
  auto [end, error] = std::from_chars(text.data(), last, value);
  if (error != std::errc() || (end != last && *end != ' ' && *end != '\t')) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return value;
}

// Reads the color of "r g b rest" and leaves the rest in `rest`.
scene::Rgb8 take_color(const fs::path& path, const Line& line, std::string_view& rest) {
  auto r = take_byte(rest), g = r ? take_byte(rest) : r, b = g ? take_byte(rest) : g;
  if (!b)
    fail(path, line, fmt::format("'{}' is not a color, expected three numbers from 0 to 255", line.text));
  rest = trimmed(rest);
  return {*r, *g, *b};
}

scene::Palette parse_gpl(const fs::path& path, const std::string& text) {
  std::vector<Line> lines = lines_of(text);
  if (lines.empty() || lines[0].text != "GIMP Palette")
    fail(path, "is not a GIMP palette, expected 'GIMP Palette' in its first line");
  scene::Palette palette;
  for (const Line& line : std::span(lines).subspan(1)) {
    bool header = palette.count == 0 && (line.text.starts_with("Name:") || line.text.starts_with("Columns:"));
    if (header || line.text.starts_with('#')) continue;
    std::string_view rest = line.text;
    scene::Rgb8 color = take_color(path, line, rest);
    add_entry(path, line, palette, color, rest);
  }
  return palette;
}

scene::Palette parse_jasc(const fs::path& path, const std::string& text) {
  if (text.starts_with("RIFF"))
    throw Error("is a RIFF palette, expected a JASC one (Paint Shop Pro)")
        .at(path.string())
        .hint("save it as .gpl, .hex or JASC .pal");
  std::vector<Line> lines = lines_of(text);
  if (lines.size() < 3 || lines[0].text != "JASC-PAL" || lines[1].text != "0100")
    fail(path,
         "is not a JASC palette, expected 'JASC-PAL', '0100' and the number of colors in its first lines");
  scene::Palette palette;
  for (const Line& line : std::span(lines).subspan(3)) {
    std::string_view rest = line.text;
    scene::Rgb8 color = take_color(path, line, rest);
    if (!rest.empty()) fail(path, line, fmt::format("'{}' follows the color", rest));
    add_entry(path, line, palette, color, {});
  }
  if (lines[2].text != std::to_string(palette.count))
    fail(path, lines[2],
         fmt::format("'{}' colors are announced, but there are {}", lines[2].text, palette.count));
  return palette;
}

scene::Palette parse_hex(const fs::path& path, const std::string& text) {
  scene::Palette palette;
  for (const Line& line : lines_of(text)) {
    std::string_view digits = line.text;
    if (digits.starts_with('#')) digits.remove_prefix(1);
    const auto rgb = parsed_number<uint32_t>(digits, 16);
    if (digits.size() != 6 || !rgb)
      fail(path, line, fmt::format("'{}' is not a color, expected rrggbb or #rrggbb", line.text));
    add_entry(path, line, palette, unpacked(*rgb), {});
  }
  return palette;
}

scene::Palette palette_of_image(const fs::path& path) {
  scene::Image image = read_image(path);
  std::vector<uint32_t> known;  // in order of first appearance
  std::vector<bool> seen(1 << 24);
  for (scene::Rgba8 pixel : image.pixels) {
    uint32_t rgb = uint32_t{pixel.r} << 16 | uint32_t{pixel.g} << 8 | pixel.b;
    if (pixel.a == 0 || seen[rgb]) continue;
    seen[rgb] = true;
    known.push_back(rgb);
  }
  if (known.size() > scene::kPaletteSize)
    fail(path, fmt::format("has {} different colors, a palette holds at most {}", known.size(),
                           scene::kPaletteSize));
  scene::Palette palette;
  for (uint32_t rgb : known) {
    palette.colors[palette.count] = unpacked(rgb);
    palette.names[palette.count++] = scene::hex_name(unpacked(rgb));
  }
  return palette;
}

constexpr std::string_view kGplBegin = "GIMP Palette\nName: vox\n";  // the name is our mark

std::string gpl_text(const scene::Palette& palette) {
  std::string text = fmt::format("{}Columns: 16\n#\n", kGplBegin);
  for (uint32_t i = 0; i < palette.count; ++i) {
    auto [r, g, b] = palette.colors[i];
    std::string name = palette.names[i].empty() ? scene::hex_name(palette.colors[i]) : palette.names[i];
    std::replace_if(
        name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < 32; }, ' ');
    text += fmt::format("{:3} {:3} {:3}\t{}\n", r, g, b, name);
  }
  return text;
}

std::string jasc_text(const scene::Palette& palette) {
  std::string text = fmt::format("JASC-PAL\r\n0100\r\n{}\r\n", palette.count);
  for (uint32_t i = 0; i < palette.count; ++i)
    text += fmt::format("{} {} {}\r\n", palette.colors[i].r, palette.colors[i].g, palette.colors[i].b);
  return text;
}

std::string hex_text(const scene::Palette& palette) {
  std::string text;
  for (uint32_t i = 0; i < palette.count; ++i) text += scene::hex_name(palette.colors[i]).substr(1) + "\n";
  return text;
}

std::string png_bytes(const scene::Palette& palette) {
  std::string bytes;
  auto append = [](void* to, void* data, int size) {
    static_cast<std::string*>(to)->append(static_cast<const char*>(data), static_cast<size_t>(size));
  };
  static_assert(sizeof(scene::Rgb8) == 3);
  auto width = static_cast<int>(palette.count);
  stbi_write_png_to_func(append, &bytes, width, 1, 3, palette.colors.data(), width * 3);
  return with_texts(std::move(bytes), {{kSoftwareKey, kSoftware}});
}

std::string encoded(const fs::path& path, const scene::Palette& palette) {
  switch (file_format(path, FileRole::Palette)) {
    case FileFormat::Gpl:
      return gpl_text(palette);
    case FileFormat::JascPal:
      return jasc_text(palette);
    case FileFormat::Hex:
      return hex_text(palette);
    case FileFormat::Png:
      return png_bytes(palette);
    default:
      fail(path, "has an unknown type, expected " + palette_extensions());
  }
}

}  // namespace

std::string palette_extensions() {
  return listed_extensions(FileRole::Palette, FileUse::Written, FileList::Or);
}

bool is_palette_path(const fs::path& path) {
  return has_role(path, FileRole::Palette);
}

bool is_gpl_of_vox(std::string_view file) {
  return file.starts_with(kGplBegin);
}

scene::Palette read_palette(const fs::path& path) {
  const FileFormat format = file_format(path, FileRole::Palette);  // a file in none is read as an image
  scene::Palette palette = has_role(path, FileRole::MaterialList) ? read_material_list(path)
                           : format == FileFormat::Gpl            ? parse_gpl(path, read_text(path))
                           : format == FileFormat::JascPal        ? parse_jasc(path, read_text(path))
                           : format == FileFormat::Hex            ? parse_hex(path, read_text(path))
                                                                  : palette_of_image(path);
  if (palette.count == 0) fail(path, "holds no color");
  return palette;
}

void write_palette(const fs::path& path, const scene::Palette& palette) {
  if (palette.count == 0) fail(path, "cannot be written: the palette holds no color");
  std::string bytes = encoded(path, palette);
  OutputFile file(path);
  file.write(bytes);
  file.commit();
}

namespace {

constexpr std::string_view kMaterialList = "vox materials 1";

// Returns the sRGB color of CIELAB under D50 (ISO 13655), adapted to D65 by Bradford's matrix.
scene::Rgb8 color_of_lab(const std::array<double, 3>& lab) {
  const double y = (lab[0] + 16) / 116, x = y + lab[1] / 500, z = y - lab[2] / 200;
  const auto part = [](double root) {
    return root > 6. / 29 ? root * root * root : 108. / 841 * (root - 4. / 29);
  };
  const Vec3d xyz = {0.96422 * part(x), part(y), 0.82521 * part(z)};
  return scene::linear_to_srgb({dot(xyz, Vec3d{3.1338561, -1.6168667, -0.4906146}),
                                dot(xyz, Vec3d{-0.9787684, 1.9161415, 0.0334540}),
                                dot(xyz, Vec3d{0.0719453, -0.2289914, 1.4052427})});
}

scene::Rgb8 color_of(const GltfObject& material) {
  const bool is_measured = material.has("lab");
  if (is_measured == material.has("color")) throw Error("expected one of 'color' and 'lab'");
  if (is_measured) {
    const auto lab = material.numbers_or<3>("lab", {});
    if (!(lab[0] >= 0 && lab[0] <= 100 && std::abs(lab[1]) <= 200 && std::abs(lab[2]) <= 200))
      throw Error("'lab' is not a color of CIELAB, with L from 0 to 100");
    return color_of_lab(lab);
  }
  const std::string text = material.text_or("color", "");
  const std::optional<scene::Rgb8> color = parse_hex_color(text);
  if (!color) throw Error(fmt::format("'{}' is not a color, expected #rrggbb", text));
  return *color;
}

scene::Palette palette_of_list(simdjson::dom::object root) {
  scene::Palette palette;
  GltfObject(root).each("materials", [&](const GltfObject& material) {
    if (palette.count == scene::kPaletteSize)
      throw Error(fmt::format("a palette holds at most {} materials", scene::kPaletteSize));
    if (material.whole_or("number", palette.count) != palette.count)
      throw Error(fmt::format("'number' is not {}, the place in the list", palette.count));
    palette.colors[palette.count] = color_of(material);
    palette.names[palette.count] = material.text_or("name", scene::hex_name(palette.colors[palette.count]));
    ++palette.count;
  });
  return palette;
}

}  // namespace

void set_materials(Json& facts, const dag::VoxelScene& scene) {
  Json& materials = facts.array("materials");
  for (uint32_t number = 0; number < scene.named_colors.size(); ++number) {
    const auto& [name, color, own] = scene.named_colors[number];
    Json& entry = materials.append();
    entry.set("number", number).set("name", name).set("color", scene::hex_name(color));
    Json& members = entry.array("stands_for");
    for (const std::string& member : own) members.set("", member);
  }
  for (uint32_t number = 0; number < scene.palette.count; ++number) {
    Json& entry = materials.append();
    entry.set("number", number)
        .set("name", scene.palette.names[number])
        .set("color", scene::hex_name(scene.palette.colors[number]))
        .set("share", scene.shares[number]);
    if (scene.palette.members.empty()) continue;
    Json& members = entry.array("stands_for");
    for (const scene::NamedEntry& member : scene.palette.members)
      if (member.entry == number) members.set("", member.name);
  }
}

void write_material_list(const std::filesystem::path& path, const dag::VoxelScene& scene) {
  if (scene.palette.count == 0 && scene.named_colors.empty())
    throw Error("cannot be written: the scene has no materials by number").at(path.string());
  Json facts;
  facts.set("format", kMaterialList);
  set_materials(facts, scene);
  OutputFile file(path);
  file.write(facts.text() + "\n");
  file.commit();
}

scene::Palette read_material_list(const std::filesystem::path& path) {
  const MappedFile file(path);
  simdjson::dom::parser parser;
  simdjson::dom::object root;
  const auto* const text = reinterpret_cast<const char*>(file.bytes().data());
  try {
    if (const auto problem = parser.parse(text, file.bytes().size()).get(root); problem != simdjson::SUCCESS)
      throw Error(fmt::format("is not a JSON object: {}", simdjson::error_message(problem)));
    return palette_of_list(root);
  } catch (Error& error) {
    throw error.at(path.string());
  }
}

// Reports on meshes are lists of the same kind, and may replace one another.
bool is_material_list_of_vox(std::string_view file) {
  const std::string_view head = file.substr(0, 100);
  return head.find(kMaterialList) != file.npos || head.find(kMeshReport) != file.npos;
}

}  // namespace vox
