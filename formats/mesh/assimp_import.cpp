#include "formats/mesh/assimp_import.h"

#include <assimp/BaseImporter.h>
#include <assimp/DefaultIOSystem.h>
#include <assimp/MemoryIOWrapper.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <fmt/format.h>

#include <algorithm>
#include <assimp/Importer.hpp>
#include <cmath>
#include <memory>
#include <string_view>

#include "formats/file_types.h"
#include "formats/io/read_file.h"
#include "formats/io/scan.h"
#include "formats/mesh/mesh.h"
#include "libvox/base/error.h"

namespace vox {
namespace {

// Finds the files that a mesh file refers to in the same way as textures.
class AssetFiles : public Assimp::DefaultIOSystem {
 public:
  // `contents`, if any, is what Assimp is to find in the mesh file.
  AssetFiles(const std::filesystem::path& mesh, OpenFolders open, std::string contents)
      : mesh_(mesh), folder_(mesh.parent_path()), open_(std::move(open)), contents_(std::move(contents)) {}

  bool Exists(const char* name) const override { return locate(name).has_value(); }

  Assimp::IOStream* Open(const char* name, const char* mode) override {
    if (name == mesh_ && !contents_.empty())
      return std::make_unique<Assimp::MemoryIOStream>(reinterpret_cast<const uint8_t*>(contents_.data()),
                                                      contents_.size())
          .release();  // Assimp frees it
    auto path = locate(name);
    return path ? DefaultIOSystem::Open(path->c_str(), mode) : nullptr;
  }

 private:
  std::optional<std::filesystem::path> locate(const std::string& name) const {
    std::error_code failed;
    if (name == mesh_ || (std::filesystem::is_regular_file(name, failed) && open_.hold(name))) return name;
    std::string prefix = folder_.string() + "/";
    try {
      return find_file(folder_, name.starts_with(prefix) ? name.substr(prefix.size()) : name, open_);
    } catch (const OutsideFile&) {
      return std::nullopt;
    }
  }

  std::filesystem::path mesh_, folder_;
  OpenFolders open_;
  std::string contents_;
};

// Assimp's reader of glTF 2 hides what it cannot read; ours does not. Its reader of glTF 1 stays.
void switch_off_gltf_2(Assimp::Importer& importer) {
  for (size_t i = importer.GetImporterCount(); i-- > 0;)
    if (std::string_view(importer.GetImporterInfo(i)->mName).starts_with("glTF2")) {
      const std::unique_ptr<Assimp::BaseImporter> reader(importer.GetImporter(i));
      importer.UnregisterLoader(reader.get());
    }
}

void configure(Assimp::Importer& importer, const MeshOptions& options) {
  switch_off_gltf_2(importer);
  importer.SetPropertyBool(AI_CONFIG_IMPORT_NO_SKELETON_MESHES, true);
  importer.SetPropertyBool(AI_CONFIG_IMPORT_FBX_READ_ANIMATIONS, false);
  importer.SetPropertyBool(AI_CONFIG_IMPORT_FBX_READ_CAMERAS, false);
  importer.SetPropertyBool(AI_CONFIG_IMPORT_FBX_READ_LIGHTS, false);
  importer.SetPropertyBool(AI_CONFIG_IMPORT_FBX_READ_WEIGHTS, false);
  importer.SetPropertyBool(AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, options.up.has_value());
}

// Returns Assimp's message, reworded if it only passes on an exception of the C++ library.
std::string in_words(const std::string& problem) {
  if (problem == "std::bad_alloc") return "out of memory while reading the file";
  for (const char* internal : {"std::", "vector", "basic_string", "deque", "map::", "array::"})
    if (problem.starts_with(internal)) return "the file contradicts itself (Assimp: " + problem + ")";
  return problem;
}

struct Instance {
  const aiMesh* mesh;
  const aiNode* node;
  AssimpMatrix transform;
};

// Returns every use of a mesh by a node, in depth-first order. It does not recurse, because files choose the
// depth.
std::vector<Instance> find_instances(const aiScene& scene, const AssimpMatrix& root) {
  struct Visit {
    const aiNode* node;
    AssimpMatrix transform;
  };
  std::vector<Instance> instances;
  std::vector<Visit> stack = {{scene.mRootNode, root}};
  while (!stack.empty()) {
    auto [node, transform] = stack.back();
    stack.pop_back();
    for (uint32_t i = 0; i < node->mNumMeshes; ++i) {
      if (node->mMeshes[i] >= scene.mNumMeshes) throw Error("a node refers to a mesh that does not exist");
      instances.push_back({scene.mMeshes[node->mMeshes[i]], node, transform});
    }
    for (uint32_t i = node->mNumChildren; i-- > 0;) {
      const aiNode* child = node->mChildren[i];
      stack.push_back({child, transform * static_cast<AssimpMatrix>(child->mTransformation)});
    }
  }
  return instances;
}

// Reserves the memory that the instances need.
void reserve(scene::Scene& scene, const std::vector<Instance>& instances) {
  uint64_t triangles = 0, positions = 0;
  bool colored = false;
  for (const Instance& instance : instances) {
    triangles += instance.mesh->mNumFaces;
    positions += instance.mesh->mNumVertices;
    colored |= instance.mesh->HasVertexColors(0);
  }
  check_scene_fits(triangles, positions, 0, colored);
  scene.triangles.reserve(triangles);
  scene.positions.reserve(positions);
  if (colored) scene.colors.reserve(positions);
}

uint8_t to_byte(float value) {
  return static_cast<uint8_t>(std::lround((value > 0 ? std::min(value, 1.0f) : 0.0f) * 255));
}

class AssimpSceneBuilder {
 public:
  explicit AssimpSceneBuilder(const aiScene& source) : source_(source), materials_(source) {}

  ImportedScene build(const MeshOptions& options) {
    std::vector<Instance> instances = find_instances(source_, root_transform(source_, options));
    reserve(scene_, instances);
    scene_.unit = unit_of(source_, options);
    std::vector<ObjectRun> runs;
    for (const Instance& instance : instances) {
      if (!instance.mesh->HasPositions() || !instance.mesh->HasFaces()) continue;
      runs.push_back({scene_.triangles.size(), object_of(instance)});
      add(instance);
    }
    for (const AssimpMaterials::Use& use : materials_.uses()) scene_.materials.push_back(use.material);
    if (options.objects == MeshObjects::Apart) split_by_object(scene_, runs);
    return {.scene = std::move(scene_),
            .images = materials_.take_images(),
            .texture_replaces_color = texture_replaces_color(source_)};
  }

 private:
  static std::string object_of(const Instance& instance) {
    const aiString& name = instance.node->mName.length > 0 ? instance.node->mName : instance.mesh->mName;
    return {name.C_Str(), name.length};
  }

  void add(const Instance& instance) {
    const aiMesh& mesh = *instance.mesh;
    uint32_t material = materials_.use(mesh.mMaterialIndex);
    uint32_t first_texcoord = add_texcoords(mesh, material);
    auto first_position = static_cast<uint32_t>(scene_.positions.size());
    add_triangles(mesh, material, first_position, first_texcoord);
    for (uint32_t i = 0; i < mesh.mNumVertices; ++i) {
      aiVector3t<double> p = instance.transform * aiVector3t<double>(mesh.mVertices[i].x, mesh.mVertices[i].y,
                                                                     mesh.mVertices[i].z);
      scene_.positions.push_back({p.x, p.y, p.z});
    }
    if (mesh.HasVertexColors(0)) {
      add_colors(mesh, first_position);
    } else if (!scene_.colors.empty()) {
      scene_.colors.resize(scene_.positions.size(), kWhite);
    }
  }

  // Returns the first texture coordinate of a mesh, which all its instances share; kNone if the mesh has
  // none.
  uint32_t add_texcoords(const aiMesh& mesh, uint32_t material) {
    auto [known, is_new] = first_texcoord_.try_emplace(&mesh, scene::kNone);
    UvMap map = materials_.uses()[material].uv;
    if (map.channel >= AI_MAX_NUMBER_OF_TEXTURECOORDS || !mesh.HasTextureCoords(map.channel)) map.channel = 0;
    if (!is_new || !mesh.HasTextureCoords(map.channel)) return known->second;
    known->second = static_cast<uint32_t>(scene_.texcoords.size());
    for (uint32_t i = 0; i < mesh.mNumVertices; ++i)
      scene_.texcoords.push_back(map(mesh.mTextureCoords[map.channel][i]));
    return known->second;
  }

  void add_triangles(const aiMesh& mesh, uint32_t material, uint32_t first_position,
                     uint32_t first_texcoord) {
    for (uint32_t f = 0; f < mesh.mNumFaces; ++f) {
      const aiFace& face = mesh.mFaces[f];
      if (face.mNumIndices != 3) continue;  // points and lines
      scene::Triangle triangle = {
          .position = {}, .texcoord = {scene::kNone, scene::kNone, scene::kNone}, .material = material};
      for (size_t i = 0; i < 3; ++i) {
        uint32_t vertex = face.mIndices[i];
        if (vertex >= mesh.mNumVertices)
          throw Error(
              fmt::format("a face refers to vertex {}, but the mesh has only {}", vertex, mesh.mNumVertices));
        triangle.position[i] = first_position + vertex;
        if (first_texcoord != scene::kNone) triangle.texcoord[i] = first_texcoord + vertex;
      }
      scene_.triangles.push_back(triangle);
    }
  }

  void add_colors(const aiMesh& mesh, uint32_t first_position) {
    scene_.colors.resize(first_position, kWhite);  // vertices of earlier meshes that have no colors
    for (uint32_t i = 0; i < mesh.mNumVertices; ++i) {
      aiColor4D color = mesh.mColors[0][i];
      scene_.colors.push_back({to_byte(color.r), to_byte(color.g), to_byte(color.b), to_byte(color.a)});
    }
  }

  static constexpr scene::Rgba8 kWhite = {255, 255, 255, 255};

  const aiScene& source_;
  AssimpMaterials materials_;
  std::map<const aiMesh*, uint32_t> first_texcoord_;
  scene::Scene scene_;
};

}  // namespace

ImportedScene import_with_assimp(const std::filesystem::path& path, const MeshOptions& options,
                                 ChildMemory& memory) {
  Assimp::Importer importer;
  configure(importer, options);
  std::string contents =
      file_format(path, FileRole::Mesh) == FileFormat::Collada ? plain_collada(TextFile(path).text()) : "";
  // Assimp frees the handler.
  importer.SetIOHandler(
      std::make_unique<AssetFiles>(path, open_folders(path, options), std::move(contents)).release());
  const aiScene* source = importer.ReadFile(path.string(), aiProcess_Triangulate);
  memory.lift();
  if (!source) throw Error(in_words(importer.GetErrorString()));
  if (!source->mRootNode) throw Error("no scene in this file");
  return AssimpSceneBuilder(*source).build(options);
}

namespace {

// Returns the length of the piece at the start of `xml` that ends with `end`.
size_t piece_length(std::string_view xml, std::string_view end) {
  const size_t at = xml.find(end);
  return at == xml.npos ? xml.size() : at + end.size();
}

// Returns the length of the tag at the start of `xml`. An attribute's quoted value may contain a >.
size_t tag_length(std::string_view xml) {
  char quote = '\0';
  for (size_t i = 0; i < xml.size(); ++i) {
    if (quote == '\0' && xml[i] == '>') return i + 1;
    if (xml[i] == quote) {
      quote = '\0';
    } else if (quote == '\0' && (xml[i] == '"' || xml[i] == '\'')) {
      quote = xml[i];
    }
  }
  return xml.size();
}

bool says_latin1(std::string_view xml) {
  if (!xml.starts_with("<?xml")) return false;
  const std::string declaration = lower_case(xml.substr(0, piece_length(xml, "?>")));
  return declaration.find("iso-8859-1") != declaration.npos || declaration.find("latin1") != declaration.npos;
}

std::string utf8_of_latin1(std::string_view text) {
  std::string utf8;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      utf8 += c;
    } else {
      utf8 += static_cast<char>(0xc0 | byte >> 6);
      utf8 += static_cast<char>(0x80 | (byte & 0x3f));
    }
  }
  return utf8;
}

std::string plain_xml(std::string_view xml) {
  std::string plain, contents;  // contents holds the element's text so far
  plain.reserve(xml.size() + 1);
  while (!xml.empty()) {
    size_t length = 0;
    if (xml.starts_with("<!--")) {
      length = piece_length(xml, "-->");
    } else if (xml.starts_with("<?")) {
      length = piece_length(xml, "?>");
    } else if (xml.starts_with("<![CDATA[")) {
      length = piece_length(xml, "]]>");
      contents += xml.substr(0, length);
    } else if (xml.starts_with('<')) {
      length = tag_length(xml);
      plain += trimmed(contents, " \t\r\n");
      plain += xml.substr(0, length);
      contents.clear();
    } else {
      length = std::min(xml.find('<'), xml.size());
      contents += xml.substr(0, length);
    }
    xml.remove_prefix(length);
  }
  return plain += contents;
}

}  // namespace

std::string plain_collada(std::string_view xml) {
  return plain_xml(says_latin1(xml) ? utf8_of_latin1(xml) : xml);
}

}  // namespace vox
