#include "formats/mesh/assimp_import.h"

#include <assimp/commonMetaData.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>

#include "libvox/base/error.h"

namespace vox {
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
