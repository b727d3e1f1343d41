#include <assimp/commonMetaData.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "formats/images/image.h"
#include "formats/io/child_process.h"
#include "formats/mesh/assimp_import.h"
#include "formats/mesh/mesh.h"
#include "libvox/base/error.h"
#include "libvox/base/units.h"

namespace vox {
namespace {

template <class T>
concept Plain = std::is_trivially_copyable_v<T>;

// Writer and Reader have the same calls, so that transfer() describes both directions.
struct Writer {
  MemoryFile& file;

  void operator()(const Plain auto& value) { file.write(std::as_bytes(std::span(&value, 1))); }
  void plain_list(const auto& list) { file.write_list(list); }
  template <class T>
  void each(std::vector<T>& list, auto&& transfer_item) {
    (*this)(uint64_t{list.size()});
    for (T& item : list) transfer_item(*this, item);
  }
};

struct Reader {
  MemoryFile& file;

  void operator()(Plain auto& value) { file.read(std::as_writable_bytes(std::span(&value, 1))); }
  void plain_list(auto& list) { file.read_list(list); }
  template <class T>
  void each(std::vector<T>& list, auto&& transfer_item) {
    list.resize(file.read_count(1));
    for (T& item : list) transfer_item(*this, item);
  }
};

void transfer(auto& stream, ImportedScene& imported) {
  scene::Scene& scene = imported.scene;
  stream.plain_list(scene.positions);
  stream.plain_list(scene.colors);
  stream.plain_list(scene.texcoords);
  stream.plain_list(scene.triangles);
  stream(scene.unit);
  stream.each(scene.materials, [](auto& stream, scene::Material& material) {
    stream.plain_list(material.name);
    stream.plain_list(material.object);
    stream(material.base_color);
    stream(material.image);
    stream(material.wrap_u);
    stream(material.wrap_v);
    stream(material.alpha_cutoff);
  });
  stream.each(imported.images, [](auto& stream, ImageSource& source) {
    stream.plain_list(source.name);
    stream.plain_list(source.file);
    stream.plain_list(source.image.name);
    stream(source.image.width);
    stream(source.image.height);
    stream.plain_list(source.image.pixels);
  });
  stream(imported.texture_replaces_color);
}

// Runs in the child process.
void import_into(MemoryFile& file, const std::filesystem::path& path, const MeshOptions& options,
                 ChildMemory& memory) {
  ImportedScene imported;
  std::string problem;
  try {
    imported = import_with_assimp(path, options, memory);
  } catch (const std::bad_alloc&) {
    problem = "out of memory while reading the file";
  } catch (const std::exception& error) {
    problem = error.what();
    if (const std::string place = path.string() + ": "; problem.starts_with(place))
      problem.erase(0, place.size());
  }
  Writer writer{file};
  writer.plain_list(problem);
  transfer(writer, imported);
}

// Checks the result, because a child process that went wrong may return nonsense.
void check(const ImportedScene& imported) {
  const scene::Scene& scene = imported.scene;
  auto fits = [](uint32_t index, size_t count) { return index == scene::kNone || index < count; };
  bool sound = scene.colors.empty() || scene.colors.size() == scene.positions.size();
  for (const scene::Triangle& triangle : scene.triangles) {
    sound &= triangle.material < scene.materials.size();
    for (uint32_t index : triangle.position) sound &= index < scene.positions.size();
    for (uint32_t index : triangle.texcoord) sound &= fits(index, scene.texcoords.size());
  }
  for (const scene::Material& material : scene.materials)
    sound &= fits(material.image, imported.images.size());
  for (const ImageSource& source : imported.images)
    sound &= source.image.pixels.size() == uint64_t{source.image.width} * source.image.height;
  sound &= scene.unit <= scene::LengthUnit::Meter;
  if (!sound) throw Error("Assimp's result is inconsistent").hint("is the file damaged?");
}

// Assimp may read the mesh and what lies in the folders whose files a mesh may name.
ChildLimits assimp_limits(const std::filesystem::path& path, const MeshOptions& options) {
  ChildLimits limits = may_take(path);
  limits.readable = {path, path.parent_path()};
  limits.readable.insert(limits.readable.end(), options.texture_paths.begin(), options.texture_paths.end());
  if (options.outside == OutsideFiles::Read) limits.readable = {"/"};
  return limits;
}

// Runs Assimp in a child process, because its readers trust their input: flipped bytes in a glTF file are
// enough to make them follow null pointers.
ImportedScene import_apart(const std::filesystem::path& path, const MeshOptions& options) {
  MemoryFile file;
  try {
    run_in_child_process(assimp_limits(path, options),
                         [&](ChildMemory& memory) { import_into(file, path, options, memory); });
  } catch (const Cancelled&) {
    throw;
  } catch (const ChildTookTooMuch& error) {
    throw Error(fmt::format("reading it {}, which no valid file of {} needs", error.what(),
                            format_bytes(std::filesystem::file_size(path))))
        .hint("is the file damaged?");
  } catch (const Error& error) {
    throw Error(fmt::format("Assimp {}", error.what())).hint("is the file damaged?");
  }
  file.rewind();
  Reader reader{file};
  std::string problem;
  reader.plain_list(problem);
  if (!problem.empty()) throw Error(problem);
  ImportedScene imported;
  transfer(reader, imported);
  check(imported);
  return imported;
}

// Returns the index into the images that `loader` will load; kNone if there is no such file.
uint32_t add_to(ImageLoader& loader, ImageSource& source, TextureFiles& textures) {
  if (!source.image.pixels.empty()) return loader.add_pixels(std::move(source.image));
  if (!source.file.empty()) return loader.add_embedded(source.file, source.name);
  const auto file = textures.find(source.name);
  return file ? loader.add_file(*file) : scene::kNone;
}

scene::Scene with_images(ImportedScene imported, TextureFiles textures) {
  scene::Scene scene = std::move(imported.scene);
  ImageLoader loader;
  std::vector<uint32_t> index;
  for (ImageSource& source : imported.images) index.push_back(add_to(loader, source, textures));
  textures.warn_of_missing();
  scene.images = loader.load();
  for (scene::Material& material : scene.materials) {
    if (material.image != scene::kNone) material.image = index[material.image];
    bool textured = material.image != scene::kNone && scene.images[material.image].width > 0;
    if (textured && imported.texture_replaces_color) material.base_color = {1, 1, 1, material.base_color[3]};
  }
  drop_empty_images(scene);
  return scene;
}

}  // namespace

scene::Scene read_assimp(const std::filesystem::path& path, const MeshOptions& options) {
  try {
    return with_images(import_apart(path, options), TextureFiles(path, options));
  } catch (const Cancelled&) {
    throw;
  } catch (Error& error) {
    throw error.at(path.string());
  } catch (const std::exception& error) {
    throw Error(fmt::format("cannot be read: {}", error.what())).at(path.string());
  }
}

namespace {

constexpr aiTextureType kColorTextures[] = {aiTextureType_DIFFUSE, aiTextureType_BASE_COLOR};

std::string text_of(const aiString& text) {
  return {text.data, std::min<size_t>(text.length, MAXLEN - 1)};
}

float to_linear(float srgb) {
  return srgb <= 0.04045f ? srgb / 12.92f : std::pow((srgb + 0.055f) / 1.055f, 2.4f);
}

// Clamps a value to [0, 1]; NaN becomes 0.
float unit(float value) {
  return value > 0 ? std::min(value, 1.0f) : 0.0f;
}

std::string texture_name(const aiMaterial& material, aiTextureType type) {
  aiString name;
  return material.Get(AI_MATKEY_TEXTURE(type, 0), name) == aiReturn_SUCCESS ? text_of(name) : "";
}

scene::Wrap wrap_of(const aiMaterial& material, const char* key, aiTextureType type) {
  int mode = aiTextureMapMode_Wrap;
  material.Get(key, type, 0, mode);
  if (mode == aiTextureMapMode_Clamp || mode == aiTextureMapMode_Decal) return scene::Wrap::Clamp;
  return mode == aiTextureMapMode_Mirror ? scene::Wrap::Mirror : scene::Wrap::Repeat;
}

// Returns the map as aiUVTransform documents it: with v up, scaled, rotated counter-clockwise about (0.5,
// 0.5), and translated.
UvMap uv_map_of(const aiUVTransform& t) {
  double cosine = std::cos(double{t.mRotation}), sine = std::sin(double{t.mRotation});
  double su = t.mScaling.x, sv = t.mScaling.y;
  double offset_u = t.mTranslation.x + 0.5 - 0.5 * cosine + 0.5 * sine;
  double offset_v = t.mTranslation.y + 0.5 - 0.5 * sine - 0.5 * cosine;
  // Solves u' = a u + b (1 - v) + c and 1 - v' = d u + e (1 - v) + f for v down.
  double a = cosine * su, b = -sine * sv, d = sine * su, e = cosine * sv;
  return {
      .channel = 0, .u_u = a, .u_v = -b, .u_0 = b + offset_u, .v_u = -d, .v_v = e, .v_0 = 1 - e - offset_v};
}

UvMap uv_map_of(const aiMaterial& material, aiTextureType type) {
  UvMap map;
  aiUVTransform transform;
  if (material.Get(AI_MATKEY_UVTRANSFORM(type, 0), transform) == aiReturn_SUCCESS) map = uv_map_of(transform);
  int channel = 0;
  material.Get(AI_MATKEY_UVWSRC(type, 0), channel);
  map.channel = static_cast<uint32_t>(std::max(channel, 0));
  return map;
}

void read_color(const aiMaterial& source, scene::Material& material) {
  aiColor4D color;
  if (source.Get(AI_MATKEY_BASE_COLOR, color) == aiReturn_SUCCESS ||
      source.Get(AI_MATKEY_COLOR_DIFFUSE, color) == aiReturn_SUCCESS)
    material.base_color = {to_linear(unit(color.r)), to_linear(unit(color.g)), to_linear(unit(color.b)), 1};
  // Exporters disagree whether 0 or 1 is opaque, and nobody intends an invisible material.
  float opacity = 1;
  source.Get(AI_MATKEY_OPACITY, opacity);
  if (opacity > 0 && opacity < 1) {
    material.base_color[3] = opacity;
    material.alpha_cutoff = 0.5f;
  }
}

ImageSource embedded(const aiTexture& texture, const std::string& name) {
  ImageSource source = {.name = name, .file = {}, .image = {}};
  if (texture.mHeight == 0) {  // the data is a file of mWidth bytes
    const auto* bytes = reinterpret_cast<const std::byte*>(texture.pcData);
    source.file.assign(bytes, bytes + texture.mWidth);
    return source;
  }
  source.image = {.name = name, .width = texture.mWidth, .height = texture.mHeight, .pixels = {}};
  for (size_t i = 0; i < size_t{texture.mWidth} * texture.mHeight; ++i) {
    const aiTexel& texel = texture.pcData[i];
    source.image.pixels.push_back({texel.r, texel.g, texel.b, texel.a});
  }
  return source;
}

}  // namespace

AssimpMaterials::AssimpMaterials(const aiScene& scene)
    : scene_(scene), index_(scene.mNumMaterials, scene::kNone) {}

uint32_t AssimpMaterials::use(uint32_t assimp_material) {
  if (assimp_material >= index_.size())
    throw Error(
        fmt::format("a mesh refers to material {}, but there are only {}", assimp_material, index_.size()));
  uint32_t& index = index_[assimp_material];
  if (index == scene::kNone) {
    index = static_cast<uint32_t>(uses_.size());
    uses_.push_back(read(*scene_.mMaterials[assimp_material]));
  }
  return index;
}

AssimpMaterials::Use AssimpMaterials::read(const aiMaterial& source) {
  Use use;
  aiString name;
  if (source.Get(AI_MATKEY_NAME, name) == aiReturn_SUCCESS) use.material.name = text_of(name);
  read_color(source, use.material);
  for (aiTextureType type : kColorTextures) {
    std::string texture = texture_name(source, type);
    if (texture.empty()) continue;
    use.uv = uv_map_of(source, type);
    use.material.wrap_u = wrap_of(source, _AI_MATKEY_MAPPINGMODE_U_BASE, type);
    use.material.wrap_v = wrap_of(source, _AI_MATKEY_MAPPINGMODE_V_BASE, type);
    use.material.image = add_image(texture);
    // An opacity texture that is the same as the color texture usually means that its alpha is used.
    if (texture == texture_name(source, aiTextureType_OPACITY)) use.material.alpha_cutoff = 0.5f;
    break;
  }
  return use;
}

uint32_t AssimpMaterials::add_image(const std::string& name) {
  auto [known, is_new] = image_of_name_.try_emplace(name, static_cast<uint32_t>(images_.size()));
  if (!is_new) return known->second;
  auto [texture, index] = scene_.GetEmbeddedTextureAndIndex(name.c_str());
  if (!texture) {
    images_.push_back({.name = name, .file = {}, .image = {}});
  } else {
    std::string own_name = text_of(texture->mFilename);
    images_.push_back(
        embedded(*texture, own_name.empty() ? fmt::format("embedded texture {}", index) : own_name));
  }
  return known->second;
}

bool texture_replaces_color(const aiScene& scene) {
  aiString format;
  if (!scene.mMetaData || !scene.mMetaData->Get(AI_METADATA_SOURCE_FORMAT, format)) return true;
  std::string_view name = format.C_Str();
  return !name.starts_with("Wavefront");
}

namespace {

std::string format_of(const aiScene& scene) {
  aiString name;
  if (scene.mMetaData) scene.mMetaData->Get(AI_METADATA_SOURCE_FORMAT, name);
  return name.C_Str();
}

double checked_unit(double meters) {
  if (std::isfinite(meters) && meters > 0) return meters;
  throw Error(fmt::format("the file gives its unit as {} meters", meters));
}

// 0.01f → 0.01: returns the shortest decimal number that rounds to this float, as it was in the file.
double decimal_of(float value) {
  std::array<char, 64> text = {};
  char* end = std::to_chars(text.begin(), text.end(), value).ptr;
  double decimal = value;
  std::from_chars(text.begin(), end, decimal);
  return decimal;
}

// For COLLADA, Assimp's matrix of the root node is the axes times the unit if configure() lets Assimp rotate
// the axes.
AssimpMatrix collada_root(const aiMatrix4x4& root, MeshUnits units) {
  const float unit = std::abs(root.a1) + std::abs(root.b1) + std::abs(root.c1);
  const double scale = checked_unit(decimal_of(root.Determinant() < 0 ? -unit : unit));
  AssimpMatrix axes;
  for (unsigned row = 0; row < 3; ++row)
    for (unsigned column = 0; column < 3; ++column)
      axes[row][column] = double{root[row][column] / unit} * (units == MeshUnits::File ? scale : 1);
  return axes;
}

struct Axis {
  int32_t index, sign;
};

Axis axis_of(const aiMetadata& data, const std::string& name, int32_t usual) {
  Axis axis = {usual, 1};
  data.Get(name, axis.index);
  data.Get(name + "Sign", axis.sign);
  if (axis.index < 0 || axis.index > 2 || (axis.sign != 1 && axis.sign != -1))
    throw Error(fmt::format("the file says that its {} is {} with sign {}", name, axis.index, axis.sign))
        .hint("state which axis points up")
        .about("up");
  return axis;
}

// Returns the axes that point to the right, up and to the viewer according to GlobalSettings.
AssimpMatrix fbx_axes(const aiMetadata& data) {
  const std::array<Axis, 3> axes = {axis_of(data, "CoordAxis", 0), axis_of(data, "UpAxis", 1),
                                    axis_of(data, "FrontAxis", 2)};
  if (axes[0].index == axes[1].index || axes[1].index == axes[2].index || axes[0].index == axes[2].index)
    throw Error(fmt::format("the file says that its axes to the right, up and to the front are {}, {} and {}",
                            axes[0].index, axes[1].index, axes[2].index))
        .hint("state which axis points up")
        .about("up");
  AssimpMatrix matrix;
  for (unsigned row = 0; row < 3; ++row)
    for (unsigned column = 0; column < 3; ++column)
      matrix[row][column] = axes[row].index == static_cast<int32_t>(column) ? axes[row].sign : 0;
  return matrix;
}

AssimpMatrix fbx_root(const aiScene& scene, const MeshOptions& options) {
  const aiMetadata none;
  const aiMetadata& data = scene.mMetaData ? *scene.mMetaData : none;
  AssimpMatrix root = options.up ? AssimpMatrix() : fbx_axes(data);
  float centimeters = 1;
  data.Get(std::string("UnitScaleFactor"), centimeters);
  const double meters = checked_unit(decimal_of(centimeters) / 100);
  if (options.units == MeshUnits::Keep) return root;
  for (unsigned row = 0; row < 3; ++row)
    for (unsigned column = 0; column < 3; ++column) root[row][column] *= meters;
  return root;
}

}  // namespace

AssimpMatrix root_transform(const aiScene& scene, const MeshOptions& options) {
  const std::string format = format_of(scene);
  const aiMatrix4x4& root = scene.mRootNode->mTransformation;
  if (format.starts_with("Collada")) return collada_root(root, options.units);
  if (format.starts_with("Autodesk FBX")) return fbx_root(scene, options);
  return static_cast<AssimpMatrix>(root);
}

scene::LengthUnit unit_of(const aiScene& scene, const MeshOptions& options) {
  const std::string format = format_of(scene);
  const bool is_told = format.starts_with("Collada") || format.starts_with("Autodesk FBX");
  return is_told && options.units == MeshUnits::File ? scene::LengthUnit::Meter : scene::LengthUnit::Unknown;
}

}  // namespace vox
