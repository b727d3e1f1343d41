#include "formats/voxels/magica_vox/magica_vox.h"

#include <fmt/format.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <memory>
#include <tuple>

#include "formats/io/read_file.h"
#include "formats/io/scan.h"
#include "formats/volume/places.h"
#include "formats/voxels/voxel_file.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/loops.h"
#include "libvox/base/progress.h"
#include "libvox/dag/from_cubes.h"

namespace vox {
namespace {

constexpr uint64_t kFewVoxels = 1 << 12;  // a model of at most this size is searched as a whole

struct MagicaVoxel {
  Vec3<int64_t> at;
  uint32_t color;
};

MagicaVoxel unpacked(uint32_t word) {
  return {{word & 255, word >> 8 & 255, word >> 16 & 255}, word >> 24};
}

// The voxels of a model in buckets, one for each cube that its first instance touches. For another instance,
// the voxels of a cube may lie in up to eight buckets.
class ModelBuckets {
 public:
  struct Bucket {
    FileBounds bounds;  // in the model's coordinates
    uint64_t begin = 0, end = 0;
  };

  // Throws Error if a voxel lies outside the model.
  void measure(const MagicaModel& model) {
    model_ = &model;
    Bucket whole;
    whole.end = model.voxels.size() / 4;
    for (uint64_t i = 0; i < whole.end; ++i) {
      const MagicaVoxel voxel = unpacked(file_word(i));
      if (voxel.at.x >= model.size.x || voxel.at.y >= model.size.y || voxel.at.z >= model.size.z)
        throw Error(fmt::format("a model of {} x {} x {} voxels has one at {}, {}, {}", model.size.x,
                                model.size.y, model.size.z, voxel.at.x, voxel.at.y, voxel.at.z));
      if (voxel.color == 0) continue;
      whole.bounds.add(voxel.at);
      highest_ = std::max(highest_, voxel.color);
    }
    buckets_ = {whole};
  }

  uint32_t highest_color() const { return highest_; }
  const FileBounds& bounds() const { return buckets_[0].bounds; }

  // `place` maps the model's voxels to the grid.
  void sort_by_cubes(const AxisTransform& place) {
    const uint64_t count = model_->voxels.size() / 4;
    if (count <= kFewVoxels) return;
    std::vector<uint32_t> ends(kSlots);
    for (uint64_t i = 0; i < count; ++i) ++ends[slot(file_word(i), place)];
    uint32_t sum = 0;
    for (uint32_t& end : ends) end = sum += end;
    sorted_.resize(count);
    buckets_.assign(kSlots, {});
    for (uint64_t i = count; i-- > 0;) {  // backwards, so that each bucket keeps the file's order
      const uint32_t word = file_word(i), at = slot(word, place);
      sorted_[--ends[at]] = word;
      if (word >> 24 != 0) buckets_[at].bounds.add(unpacked(word).at);
    }
    for (size_t i = 0; i < kSlots; ++i) {
      buckets_[i].begin = ends[i];
      buckets_[i].end = i + 1 < kSlots ? ends[i + 1] : count;
    }
    std::erase_if(buckets_, [](const Bucket& bucket) { return bucket.bounds.empty(); });
  }

  const std::vector<Bucket>& buckets() const { return buckets_; }

  template <class Body>
  void for_each_voxel(const Bucket& bucket, Body body) const {
    for (uint64_t i = bucket.begin; i < bucket.end; ++i) {
      const MagicaVoxel voxel = unpacked(sorted_.empty() ? file_word(i) : sorted_[i]);
      if (voxel.color != 0) body(voxel);
    }
  }

 private:
  // 256 voxels lie in at most five cubes along an axis, so cube coordinates modulo eight differ.
  static constexpr size_t kSlots = 512;

  static uint32_t slot(uint32_t word, const AxisTransform& place) {
    const Vec3<int64_t> at = place(unpacked(word).at);
    return static_cast<uint32_t>((at.x >> 6 & 7) | (at.y >> 6 & 7) << 3 | (at.z >> 6 & 7) << 6);
  }

  uint32_t file_word(uint64_t i) const { return value_at<uint32_t>(model_->voxels.data() + 4 * i); }

  const MagicaModel* model_ = nullptr;
  std::vector<uint32_t> sorted_;  // as in the file; empty if there is only one bucket
  std::vector<Bucket> buckets_;
  uint32_t highest_ = 0;
};

// A bucket of an instance that may have voxels in a cube.
struct Presence {
  uint64_t cube;
  uint32_t instance, bucket;
  friend bool operator<(const Presence& a, const Presence& b) {
    return std::tie(a.cube, a.instance, a.bucket) < std::tie(b.cube, b.instance, b.bucket);
  }
};

FileBounds placed(const FileBounds& bounds, const AxisTransform& place) {
  FileBounds result;
  if (bounds.empty()) return result;
  result.add(place(bounds.min));
  result.add(place(bounds.max));
  return result;
}

class MagicaVoxels {
 public:
  explicit MagicaVoxels(const std::filesystem::path& path)
      : mapped_(path), file_(magica_file(mapped_.bytes())) {
    models_.resize(file_.models.size());
    parallel_for(size_t{0}, models_.size(), [&](size_t i) {
      throw_if_cancelled();
      models_[i].measure(file_.models[i]);
    });
    places_ = magica_places(file_, turn_y_up());
  }

  const MagicaFile& file() const { return file_; }
  const MagicaPlaces& places() const { return places_; }

  FileBounds bounds() const {
    FileBounds bounds;
    for (const MagicaInstance& instance : places_.instances)
      bounds.add(placed(models_[instance.model].bounds(), instance.place));
    return bounds;
  }

  uint32_t highest_color() const {
    uint32_t highest = 0;
    for (const MagicaInstance& instance : places_.instances)
      highest = std::max(highest, models_[instance.model].highest_color());
    return highest;
  }

  // Moves all voxels into the grid, whose lower corner is `corner`, and finds the cubes that they lie in.
  std::vector<uint64_t> settle(const Vec3<int64_t>& corner) {
    std::vector<const AxisTransform*> first(models_.size());
    for (MagicaInstance& instance : places_.instances) {
      instance.place.move = instance.place.move - corner;
      if (first[instance.model] == nullptr) first[instance.model] = &instance.place;
    }
    parallel_for(size_t{0}, models_.size(), [&](size_t i) {
      throw_if_cancelled();
      if (first[i] != nullptr) models_[i].sort_by_cubes(*first[i]);
    });
    for (uint32_t i = 0; i < places_.instances.size(); ++i) find_cubes(i);
    tbb::parallel_sort(present_.begin(), present_.end());
    std::vector<uint64_t> cubes;
    for (size_t i = 0; i < present_.size(); ++i)
      if (i == 0 || present_[i].cube != present_[i - 1].cube) {
        cubes.push_back(present_[i].cube);
        starts_.push_back(i);
      }
    starts_.push_back(present_.size());
    return cubes;
  }

  // Calls body(place in the cube, color) for the voxels in a cube, those of later instances later.
  template <class Body>
  void for_each_in(size_t cube, Body body) const {
    for (size_t i = starts_[cube]; i < starts_[cube + 1]; ++i) {
      const MagicaInstance& instance = places_.instances[present_[i].instance];
      const ModelBuckets& model = models_[instance.model];
      const Int3 corner = dag::cube_corner(present_[i].cube);
      AxisTransform into = instance.place;
      into.move = into.move - vec_of<int64_t>(corner);
      model.for_each_voxel(model.buckets()[present_[i].bucket], [&](const MagicaVoxel& voxel) {
        const Vec3<int64_t> at = into(voxel.at);
        if (((at.x | at.y | at.z) & ~int64_t{63}) == 0) body(vec_of<int32_t>(at), voxel.color);
      });
    }
  }

 private:
  // Returns the way back from z up: the inverse of write_magica_vox() for our files, and y up for others.
  AxisTransform turn_y_up() const {
    AxisTransform turn;
    switch (file_.origin ? file_.origin->up : dag::UpAxis::Y) {
      case dag::UpAxis::X:
        turn.from = {2, 0, 1};
        break;
      case dag::UpAxis::Y:
        turn.from = {0, 2, 1};
        turn.sign = {1, 1, -1};
        break;
      case dag::UpAxis::Z:
        break;
    }
    return turn;
  }

  void find_cubes(uint32_t index) {
    const MagicaInstance& instance = places_.instances[index];
    const auto& buckets = models_[instance.model].buckets();
    for (uint32_t bucket = 0; bucket < buckets.size(); ++bucket) {
      const FileBounds box = placed(buckets[bucket].bounds, instance.place);
      if (box.empty()) continue;
      for (int64_t z = box.min.z >> 6; z <= box.max.z >> 6; ++z)
        for (int64_t y = box.min.y >> 6; y <= box.max.y >> 6; ++y)
          for (int64_t x = box.min.x >> 6; x <= box.max.x >> 6; ++x) {
            const Int3 cube = {static_cast<int32_t>(x), static_cast<int32_t>(y), static_cast<int32_t>(z)};
            present_.push_back({dag::cube_key(cube * dag::VoxelCube::kSide), index, bucket});
          }
    }
  }

  MappedFile mapped_;
  MagicaFile file_;
  std::vector<ModelBuckets> models_;
  MagicaPlaces places_;
  std::vector<Presence> present_;
  std::vector<size_t> starts_;  // for each cube, its start in present_
};

// Sets the grid and returns its lower corner. For a file that vox wrote, this is the scene's, provided that
// all voxels are inside it.
Vec3<int64_t> set_grid(VoxelFile& file, const FileBounds& bounds, const std::optional<MagicaOrigin>& ours) {
  if (ours) {
    file.up = ours->up;
    file.voxel_size = ours->voxel_size;
  }
  if (ours && ours->resolution >= voxelize::kMinResolution && ours->resolution <= voxelize::kMaxResolution &&
      (bounds.empty() || (std::min({bounds.min.x, bounds.min.y, bounds.min.z}) >= 0 &&
                          std::max({bounds.max.x, bounds.max.y, bounds.max.z}) < ours->resolution))) {
    file.resolution = ours->resolution;
    file.origin = ours->origin;
    return {0, 0, 0};
  }
  fit_grid(file, bounds);
  if (ours) file.origin = file.origin + ours->origin;
  return bounds.empty() ? Vec3<int64_t>{0, 0, 0} : bounds.min;
}

// True if the colors are the materials of a scene of vox, or stand for none. A scene with 24-bit colors has no materials
// either, and if all its voxels have one color, only this color tells it from a scene without colors.
bool are_own_materials(const MagicaFile& from, uint32_t highest) {
  if (!from.origin || highest > std::max(from.origin->materials, 1u)) return false;
  return from.origin->materials > 0 || from.colors[1] == kPlainColor;
}

// Our own materials are colors 1 to 16 of the file. All other colors become the nearest palette entries.
void set_colors(VoxelFile& file, const MagicaFile& from, uint32_t highest) {
  if (!are_own_materials(from, highest)) {
    file.values = VoxelValues::Table;
    file.table.assign(from.colors.begin(), from.colors.end());
    return;
  }
  file.palette.count = from.origin->materials;
  if (file.palette.count > 0) file.values = VoxelValues::Entries;
  for (uint32_t i = 0; i < file.palette.count; ++i) {
    file.palette.colors[i] = from.colors[i + 1];
    file.palette.names[i] = i < from.notes.size() ? from.notes[i] : "";
  }
}

void say_what_is_left_out(const MagicaVoxels& voxels, const std::filesystem::path& path) {
  if (const uint64_t hidden = voxels.places().hidden; hidden > 0)
    log_info("{}: left out: {} models that are hidden or in a hidden layer", path.string(), hidden);
  if (const uint64_t later = voxels.file().later_frames; later > 0)
    log_info("{}: left out: {} later frames of moving objects", path.string(), later);
  if (const size_t models = voxels.file().models.size(); voxels.file().nodes.empty() && models > 1)
    log_info("{}: left out: {} models that nothing places, the later frames of an animation", path.string(),
             models - 1);
}

}  // namespace

VoxelFile open_magica_vox(const std::filesystem::path& path) {
  const auto voxels = std::make_shared<MagicaVoxels>(path);
  VoxelFile file;
  const Vec3<int64_t> corner = set_grid(file, voxels->bounds(), voxels->file().origin);
  set_colors(file, voxels->file(), voxels->highest_color());
  file.cubes = voxels->settle(corner);
  const uint32_t first = file.values == VoxelValues::Entries ? 1 : 0;  // the index that stands for entry 0
  file.read = [voxels, first](size_t cube, VoxelSink& to) {
    voxels->for_each_in(cube, [&](Int3 place, uint32_t color) { to.put(place, color - first); });
  };
  say_what_is_left_out(*voxels, path);
  return file;
}

}  // namespace vox
