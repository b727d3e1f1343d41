#include "formats/mesh/assimp_frame.h"

#include <assimp/commonMetaData.h>
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>

#include "libvox/base/error.h"

namespace vox {
namespace {

std::string format_of(const aiScene& scene) {
  aiString name;
  if (scene.mMetaData) scene.mMetaData->Get(AI_METADATA_SOURCE_FORMAT, name);
  return name.C_Str();
}

double checked_unit(double metres) {
  if (std::isfinite(metres) && metres > 0) return metres;
  throw Error(fmt::format("the file gives its unit as {} metres", metres));
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
  float centimetres = 1;
  data.Get(std::string("UnitScaleFactor"), centimetres);
  const double metres = checked_unit(decimal_of(centimetres) / 100);
  if (options.units == MeshUnits::Keep) return root;
  for (unsigned row = 0; row < 3; ++row)
    for (unsigned column = 0; column < 3; ++column) root[row][column] *= metres;
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

}  // namespace vox
