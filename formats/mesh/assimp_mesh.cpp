#include <fmt/format.h>

#include <filesystem>
#include <span>
#include <type_traits>

#include "formats/images/image.h"
#include "formats/io/child_process.h"
#include "formats/mesh/assimp_import.h"
#include "formats/mesh/mesh.h"
#include "formats/mesh/mesh_parts.h"
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

}  // namespace vox
