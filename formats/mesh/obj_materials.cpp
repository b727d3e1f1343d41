#include "formats/mesh/obj.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "formats/images/image.h"
#include "formats/io/read_file.h"
#include "formats/io/scan.h"
#include "formats/mesh/mesh.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"

namespace vox {
namespace {

namespace fs = std::filesystem;

struct LibraryMaterial {
  MtlMaterial mtl;
  fs::path folder;  // the folder of its MTL file
};

struct Library {
  std::unordered_map<std::string, LibraryMaterial> materials;
  bool complete = true;  // true if all MTL files could be read
};

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (size_t i = 0; i < text.size();) {
    size_t end = std::min(text.find_first_of(" \t", i), text.size());
    if (end > i) words.push_back(text.substr(i, end - i));
    i = end + 1;
  }
  return words;
}

// A line of mtllib holds either one name that may contain spaces, or several names that each end with .mtl.
std::vector<std::string> library_names(const std::string& line, const fs::path& folder) {
  if (find_file(folder, line)) return {line};  // add_library() asks whether it may be read
  std::vector<std::string> names;
  bool open = false;
  for (const std::string& word : words_of(line)) {
    if (open) {
      names.back() += ' ' + word;
    } else {
      names.push_back(word);
    }
    open = !lower_case(word).ends_with(".mtl");
  }
  return names;
}

[[noreturn]] void throw_foreign(const fs::path& path) {
  BadMtl wrong("these materials were not written with the OBJ file that names them");
  wrong.at(path.string()).hint("write both again; if they belong together, remove this file's first line");
  throw wrong;
}

// A file in which somebody has changed the materials keeps its number.
void check_same_result(const ObjText& obj, std::string_view mtl, const fs::path& path) {
  const std::string_view id = materials_id(mtl);
  if (!id.empty() && !obj.materials_id.empty() && id != obj.materials_id) throw_foreign(path);
}

void add_library(Library& library, const fs::path& folder, const OpenFolders& open, const ObjText& obj,
                 const std::string& name) {
  try {
    auto file = find_file(folder, name, open);
    if (!file) throw Error("no such file").at(name);
    const TextFile text(*file);
    check_same_result(obj, text.text(), *file);
    for (MtlMaterial& mtl : parse_mtl(text.text(), *file)) {
      std::string key = mtl.name;
      library.materials.insert_or_assign(key, LibraryMaterial{std::move(mtl), file->parent_path()});
    }
  } catch (const BadMtl&) {
    throw;
  } catch (const UnreadableFile&) {
    throw;
  } catch (const Error& error) {
    log_warning("materials: {}; they become gray", error.what());
    library.complete = false;
  }
}

Library read_libraries(const ObjText& obj, const fs::path& folder, const OpenFolders& open) {
  Library library;
  std::set<std::string> lines, names;
  for (const std::string& line : obj.libraries) {
    if (!lines.insert(line).second) continue;
    for (const std::string& name : library_names(line, folder))
      if (names.insert(name).second) add_library(library, folder, open, obj, name);
  }
  return library;
}

// Sets every triangle's material and returns the materials' names, in order of first use. Triangles before
// the first usemtl have a material with an empty name.
std::vector<std::string> assign_materials(ObjText& obj) {
  std::vector<std::string> names;
  std::unordered_map<std::string, uint32_t> indices;
  auto assign = [&](uint64_t first, uint64_t end, const std::string& name) {
    if (first == end) return;
    auto [entry, is_new] = indices.try_emplace(name, static_cast<uint32_t>(names.size()));
    if (is_new) names.push_back(name);
    for (uint64_t i = first; i < end; ++i) obj.scene.triangles[i].material = entry->second;
  };
  for_each_run(obj.groups, obj.scene.triangles.size(), assign);
  return names;
}

float to_linear(double srgb) {
  return static_cast<float>(srgb <= 0.04045 ? srgb / 12.92 : std::pow((srgb + 0.055) / 1.055, 2.4));
}

bool has_alpha(const scene::Image& image) {
  return std::any_of(image.pixels.begin(), image.pixels.end(),
                     [](scene::Rgba8 pixel) { return pixel.a < 255; });
}

// Returns the RGB of `color` (white without one) with the alpha of the nearest pixel of `mask`: its alpha
// channel if the mask has one, otherwise its luminance.
scene::Image with_mask(const scene::Image* color, const scene::Image& mask) {
  scene::Image image = color ? *color : mask;
  bool use_alpha = has_alpha(mask);
  for (uint64_t y = 0; y < image.height; ++y) {
    uint64_t row = (2 * y + 1) * mask.height / (2 * image.height) * mask.width;
    for (uint64_t x = 0; x < image.width; ++x) {
      scene::Rgba8 m = mask.pixels[row + (2 * x + 1) * mask.width / (2 * image.width)];
      int luminance = (54 * m.r + 183 * m.g + 19 * m.b) >> 8;  // Rec. 709, in 256ths
      scene::Rgba8& pixel = image.pixels[y * image.width + x];
      if (!color) pixel = {255, 255, 255, 255};
      pixel.a = use_alpha ? m.a : static_cast<uint8_t>(luminance);
    }
  }
  if (color) image.name += " with " + mask.name;
  return image;
}

// The textures of the materials. Each file is loaded once, and each combination is made once.
class Textures {
 public:
  explicit Textures(TextureFiles files) : files_(std::move(files)) {}

  uint32_t add(const MtlMap& map, const fs::path& folder) {
    if (map.file.empty()) return scene::kNone;
    auto file = files_.find(map.file, folder);
    return file ? loader_.add_file(*file) : scene::kNone;
  }

  void load() {
    files_.warn_of_missing();
    loaded_ = loader_.load();
  }

  bool is_there(uint32_t file) const { return file != scene::kNone && loaded_[file].width > 0; }

  // Returns the index into images() of a material's image; kNone if it has none.
  uint32_t image(uint32_t color, uint32_t mask) {
    std::pair<uint32_t, uint32_t> key = {is_there(color) ? color : scene::kNone,
                                         is_there(mask) ? mask : scene::kNone};
    if (key == std::pair(scene::kNone, scene::kNone)) return scene::kNone;
    auto [entry, is_new] = made_.try_emplace(key, static_cast<uint32_t>(images_.size()));
    if (!is_new) return entry->second;
    scene::Image& image = images_.emplace_back();
    if (key.second != scene::kNone)
      image = with_mask(key.first == scene::kNone ? nullptr : &loaded_[key.first], loaded_[key.second]);
    return entry->second;
  }

  // Images without a mask are moved here at the end, when they are no longer needed for combinations with a
  // mask.
  std::vector<scene::Image> images() && {
    for (const auto& [key, index] : made_)
      if (key.second == scene::kNone) images_[index] = std::move(loaded_[key.first]);
    return std::move(images_);
  }

 private:
  TextureFiles files_;
  ImageLoader loader_;
  std::vector<scene::Image> loaded_, images_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> made_;  // map_Kd and map_d → index into images_
};

scene::Material make_material(const MtlMaterial& mtl, bool has_texture) {
  scene::Material material;
  material.name = mtl.name;
  // Many exporters write a black Kd beside a texture.
  bool black = mtl.color && *mtl.color == std::array{0.0, 0.0, 0.0};
  if (has_texture && (black || !mtl.color)) {
    material.base_color = {1, 1, 1, 1};
  } else if (mtl.color) {
    for (size_t i = 0; i < 3; ++i) material.base_color[i] = to_linear((*mtl.color)[i]);
  }
  material.base_color[3] = static_cast<float>(mtl.opacity);
  return material;
}

// Applies the map's scale and offset to the texture coordinates of each material's triangles. The coordinates
// are copied, because other materials may use them unchanged.
void transform_texcoords(scene::Scene& scene, const std::vector<MtlMap>& maps, const fs::path& path) {
  const MtlMap plain;
  std::unordered_map<uint64_t, uint32_t> copies;  // material and texture coordinate → copy
  for (scene::Triangle& triangle : scene.triangles) {
    const MtlMap& map = maps[triangle.material];
    if ((map.scale == plain.scale && map.offset == plain.offset) || triangle.texcoord[0] == scene::kNone)
      continue;
    for (uint32_t& index : triangle.texcoord) {
      auto [entry, is_new] = copies.try_emplace(uint64_t{triangle.material} << 32 | index,
                                                static_cast<uint32_t>(scene.texcoords.size()));
      if (is_new) {
        if (scene.texcoords.size() >= scene::kNone)
          throw Error("more texture coordinates than 32-bit indices can address").at(path.string());
        Vec2f uv = scene.texcoords[index];
        double u = uv.x * map.scale[0] + map.offset[0], v = (1 - uv.y) * map.scale[1] + map.offset[1];
        scene.texcoords.push_back({static_cast<float>(u), static_cast<float>(1 - v)});
      }
      index = entry->second;
    }
  }
}

// Returns the material for each name; undefined ones become gray.
std::vector<LibraryMaterial> look_up(const std::vector<std::string>& names, const Library& library) {
  std::vector<LibraryMaterial> found;
  std::vector<std::string> undefined;
  for (const std::string& name : names) {
    auto entry = library.materials.find(name);
    if (entry != library.materials.end()) {
      found.push_back(entry->second);
    } else {
      found.emplace_back().mtl.name = name.empty() ? "default" : name;
      if (!name.empty()) undefined.push_back(name);
    }
  }
  if (!undefined.empty() && library.complete)
    log_warning("{} materials are used but not defined, such as '{}'; they become gray", undefined.size(),
                undefined[0]);
  return found;
}

// Removes the first word and the blanks after it from `text`, and returns the word.
std::string_view take_word(std::string_view& text) {
  auto end = std::find_if(text.begin(), text.end(), is_blank);
  auto next = std::find_if_not(end, text.end(), is_blank);
  std::string_view word(text.begin(), end);
  text = std::string_view(next, text.end());
  return word;
}

std::optional<double> number_of(std::string_view word) {
  std::string terminated(word);
  Number number = scan_number(terminated.c_str());
  if (!number.end || !std::isfinite(number.value)) return std::nullopt;
  return number.value;
}

// True if a word starts like a number but is not one, such as 3.1+e2 or 0,5.
bool is_malformed(std::string_view word) {
  const bool starts =
      !word.empty() && (is_digit(word[0]) || std::string_view("+-.").find(word[0]) != word.npos);
  return starts && !scan_number(std::string(word).c_str()).end;
}

// Returns the leading numbers of `text`, at most `most`. Throws BadMtl.
std::vector<double> take_numbers(std::string_view text, size_t most) {
  std::vector<double> numbers;
  while (numbers.size() < most && !text.empty()) {
    std::string_view rest = text;
    const std::string_view word = take_word(rest);
    if (is_malformed(word)) throw BadMtl(fmt::format("expected a number instead of '{}'", word));
    auto number = number_of(word);
    if (!number) break;
    numbers.push_back(*number);
    text = rest;
  }
  return numbers;
}

// Takes the one to three numbers of -o, -s, -t, but leaves a file name that looks like a number.
std::array<double, 2> take_pair(std::string_view& text, std::array<double, 2> pair) {
  for (size_t i = 0; i < 3; ++i) {
    std::string_view rest = text;
    auto number = number_of(take_word(rest));
    if (!number || rest.empty()) break;
    if (i < 2) pair[i] = *number;
    text = rest;
  }
  return pair;
}

MtlMap parse_map(std::string_view text) {
  static const std::unordered_map<std::string_view, int> kIgnored = {
      {"-blendu", 1},  {"-blendv", 1}, {"-boost", 1},  {"-bm", 1},   {"-cc", 1},
      {"-imfchan", 1}, {"-mm", 2},     {"-texres", 1}, {"-type", 1}, {"-colorspace", 1}};
  MtlMap map;
  while (text.starts_with('-')) {
    std::string_view rest = text;
    std::string option = lower_case(take_word(rest));
    if (option == "-o") {
      map.offset = take_pair(rest, map.offset);
    } else if (option == "-s") {
      map.scale = take_pair(rest, map.scale);
    } else if (option == "-t") {
      take_pair(rest, {});  // turbulence
    } else if (option == "-clamp") {
      map.clamp = lower_case(take_word(rest)) == "on";
    } else if (auto ignored = kIgnored.find(option); ignored != kIgnored.end()) {
      for (int i = 0; i < ignored->second; ++i) take_word(rest);
    } else {
      break;  // a file name
    }
    text = rest;
  }
  if (text.size() > 1 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
  map.file = text;
  return map;
}

class MtlReader {
 public:
  void read_line(std::string_view keyword, std::string_view arguments) {
    if (keyword == "newmtl") {
      materials_.emplace_back().name = arguments;
      has_opacity_ = false;
    }
    if (materials_.empty()) return;
    MtlMaterial& material = materials_.back();
    if (keyword == "kd") {
      read_color(arguments);
    } else if (keyword == "d") {
      if (arguments.starts_with("-halo")) take_word(arguments);
      read_opacity(arguments);
    } else if (keyword == "tr") {
      read_transparency(arguments);
    } else if (keyword == "map_kd") {
      material.color_map = parse_map(arguments);
    } else if (keyword == "map_d") {
      material.opacity_map = parse_map(arguments);
    }
  }

  std::vector<MtlMaterial> materials() && { return std::move(materials_); }

 private:
  // Ignores `Kd spectral …` and `Kd xyz …`, which do not start with a number.
  void read_color(std::string_view arguments) {
    std::vector<double> rgb = take_numbers(arguments, 3);
    if (rgb.empty()) return;
    rgb.resize(3, rgb[0]);
    for (double& value : rgb) value = std::clamp(value, 0.0, 1.0);
    materials_.back().color = {rgb[0], rgb[1], rgb[2]};
  }

  void read_opacity(std::string_view arguments) {
    std::vector<double> d = take_numbers(arguments, 1);
    if (d.empty()) return;
    materials_.back().opacity = std::clamp(d[0], 0.0, 1.0);
    has_opacity_ = true;
  }

  // If both are given, `d` wins. MeshLab writes Tr 1 for opaque, and nobody intends an invisible mesh.
  void read_transparency(std::string_view arguments) {
    std::vector<double> tr = take_numbers(arguments, 1);
    if (tr.empty() || has_opacity_) return;
    materials_.back().opacity = tr[0] > 0 && tr[0] < 1 ? 1 - tr[0] : 1;
  }

  std::vector<MtlMaterial> materials_;
  bool has_opacity_ = false;  // true if the last material has an opacity
};

}  // namespace

void add_obj_materials(ObjText& obj, const fs::path& path, const MeshOptions& options) {
  fs::path folder = path.parent_path();
  std::vector<LibraryMaterial> materials =
      look_up(assign_materials(obj), read_libraries(obj, folder, open_folders(path, options)));
  Textures textures(TextureFiles(path, options));
  std::vector<std::pair<uint32_t, uint32_t>> files;  // map_Kd and map_d of each material
  for (LibraryMaterial& material : materials) {
    if (!material.mtl.color && !obj.scene.colors.empty()) material.mtl.color = {1, 1, 1};
    files.emplace_back(textures.add(material.mtl.color_map, material.folder),
                       textures.add(material.mtl.opacity_map, material.folder));
  }
  textures.load();
  std::vector<MtlMap> maps;
  for (size_t i = 0; i < materials.size(); ++i) {
    auto [color, mask] = files[i];
    const MtlMaterial& mtl = materials[i].mtl;
    const MtlMap& map = textures.is_there(color) ? mtl.color_map : mtl.opacity_map;
    scene::Material material = make_material(mtl, textures.is_there(color));
    material.image = textures.image(color, mask);
    material.wrap_u = material.wrap_v = map.clamp ? scene::Wrap::Clamp : scene::Wrap::Repeat;
    if (mtl.opacity < 1 || textures.is_there(mask)) material.alpha_cutoff = 0.5f;
    obj.scene.materials.push_back(std::move(material));
    maps.push_back(map);
  }
  obj.scene.images = std::move(textures).images();
  transform_texcoords(obj.scene, maps, path);
}

std::vector<MtlMaterial> parse_mtl(std::string_view text, const std::filesystem::path& path) {
  MtlReader reader;
  for_each_line(text, [&](const char* p) {
    const char* end = word_end(p);
    try {
      reader.read_line(lower_case({p, end}), rest_of_line(end));
    } catch (BadMtl& error) {
      error.at(fmt::format("{}:{}", path.string(), line_number(text, p)));
      throw;
    }
    return p;
  });
  return std::move(reader).materials();
}

}  // namespace vox
