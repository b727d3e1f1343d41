// The loops that are measured on the forms of a scene. Each body is written once for all forms (form_refs.h).
#pragma once

#include "libvox/base/tiles.h"
#include "libvox/bricks/reader.h"
#include "libvox/measure/form_places.h"
#include "libvox/measure/form_refs.h"
#include "libvox/measure/forms_bench.h"
#include "libvox/measure/repeated.h"
#include "libvox/render/pixel_rays.h"

namespace vox::measure {

// Reads the words of voxels.
template <SceneForm Ref>
struct GatherWords {
  Ref form;
  const Int3* places;
  uint8_t* words;

  VOX_HD void prefetch(uint64_t i, int stage) const {
    if (stage == 1) form.prefetch(places[i]);
  }
  VOX_HD void operator()(uint64_t i) const { words[i] = form.template get<uint8_t>(places[i]); }
};

// Computes the means of the words around voxels as floats. Rounded to words, most of them would be 0 where
// few voxels are filled. A sum is below 2^24 and thus exact as a float, so each mean is rounded once.
template <SceneForm Ref>
struct MeansOfPlaces {
  Ref form;
  const Int3* places;
  Int3 size;
  int32_t radius;
  float* means;

  VOX_HD void operator()(uint64_t i) const {
    const uint64_t sum = bricks::sum_around<uint8_t>(form, places[i], radius, size);
    const int32_t side = 2 * radius + 1;
    means[i] = static_cast<float>(sum) / static_cast<float>(side * side * side);
  }
};

// Finds the first filled voxel on the ray through the centre of each pixel.
template <SceneForm Ref>
struct CastToVoxels {
  Ref form;
  render::PixelRays rays;
  Tiles tiles;
  VoxelHit* hits;  // row by row

  VOX_HD void operator()(uint64_t i) const {
    const Vec2<uint32_t> pixel = tiles.pixel(i);
    if (!tiles.holds(pixel)) return;
    const auto middle = [](uint32_t at) { return (2 * at + 1) << (render::kSubpixelBits - 1); };
    const render::FineDirection direction = rays.direction(middle(pixel.x), middle(pixel.y));
    hits[tiles.index(pixel)] =
        form.first(render::make_ray(render::make_course(rays.log2_side, direction), rays.eye, 0));
  }
};

template <class T>
struct IsAboveZero {
  const T* values;
  VOX_HD uint32_t operator()(uint64_t i) const { return values[i] > 0 ? 1 : 0; }
};
struct IsHit {
  const VoxelHit* hits;
  VOX_HD uint32_t operator()(uint64_t i) const { return hits[i].word != 0 ? 1 : 0; }
};
// The contribution of a hit to a checksum.
struct MixedHit {
  const VoxelHit* hits;
  VOX_HD uint64_t operator()(uint64_t i) const {
    const auto [voxel, word] = hits[i];
    const uint64_t code = morton_encode(static_cast<uint32_t>(voxel.x), static_cast<uint32_t>(voxel.y),
                                        static_cast<uint32_t>(voxel.z));
    return bricks::mixed_word(i, word) ^ mix64(code);
  }
};

// Returns a camera that sees the whole scene.
inline render::Camera camera_around(const dag::FrozenDag& dag, uint32_t picture) {
  const render::ImageSize size = {picture, picture};
  const render::CameraPose pose =
      render::framing(render::outline(dag), "iso", 0, render::CameraPose().fov, size);
  return render::make_camera(pose, size, dag::kLeafLog2 + dag.depth());
}

template <class Device>
class FormLoops {
 public:
  // The DAG must be one that check_structure() accepts, with at least one voxel and fewer than 2^32.
  FormLoops(Device& device, const dag::FrozenDag& dag, uint64_t octree_leaves, const FormsBenchSizes& sizes,
            uint32_t filter)
      : device_(device),
        sizes_(sizes),
        side_(static_cast<int32_t>(dag.resolution)),
        radius_(static_cast<int32_t>(filter / 2)),
        places_(list_places(device, dag, octree_leaves, sizes.gathers, sizes.means)) {
    words_ = device.template make<uint8_t>(places_.most_gathered());
    means_ = device.template make<float>(places_.means.size());
    if (sizes.picture == 0) return;
    rays_ = render::pixel_rays(camera_around(dag, sizes.picture));
    hits_ = device.template make<VoxelHit>(uint64_t{sizes.picture} * sizes.picture);
  }

  // Returns a row for each loop; the caller sets the number of the form.
  template <SceneForm Ref>
  std::vector<FormsBenchRow> measure(const Ref& form) {
    std::vector<FormsBenchRow> rows;
    if (sizes_.gathers > 0) {
      rows.push_back(gather(FormLoop::Random, form, places_.random));
      rows.push_back(gather(FormLoop::Uniform, form, places_.uniform));
      rows.push_back(gather(FormLoop::Rows, form, places_.rows));
      rows.push_back(gather(FormLoop::Blocks, form, places_.blocks));
    }
    if (sizes_.means > 0) rows.push_back(filter(form));
    if (sizes_.picture > 0) rows.push_back(cast(form));
    return rows;
  }

 private:
  FormsBenchRow row_of(FormLoop loop, uint64_t lookups) const {
    FormsBenchRow row;
    row.loop = kFormLoopNames[static_cast<size_t>(loop)];
    row.lookups = lookups;
    row.repetitions = sizes_.repetitions;
    return row;
  }

  template <class Run>
  Timing timed(const Run& run) {
    return repeated(sizes_.repetitions, [&](uint32_t) { return device_.seconds(run); });
  }

  // Runs a loop over n places that writes a value for each. The values are overwritten first, so that results
  // of another form cannot be counted.
  template <class T, class Body>
  FormsBenchRow fill_values(FormsBenchRow row, const char* name, uint64_t n, T* values, const Body& body) {
    auto* const bytes = reinterpret_cast<uint8_t*>(values);
    device_.fill(bytes, n * sizeof(T), uint8_t{0xff});
    row.time = timed([&] { device_.for_each({name, sizeof(Int3) + sizeof(T)}, n, body); });
    row.filled = device_.sum("forms: count filled", n, IsAboveZero<T>{values});
    row.checksum = device_.sum("forms: checksum", n, bricks::MixedWord{bytes, sizeof(T)});
    return row;
  }

  template <SceneForm Ref>
  FormsBenchRow gather(FormLoop loop, const Ref& form, const device::Buffer<Int3>& places) {
    const uint64_t n = places.size();
    return fill_values(row_of(loop, n), "forms: gather", n, words_.data(),
                       GatherWords<Ref>{form, places.data(), words_.data()});
  }

  // Voxels outside of the grid are not read, but count as lookups.
  template <SceneForm Ref>
  FormsBenchRow filter(const Ref& form) {
    const uint64_t n = places_.means.size(), side = 2 * static_cast<uint64_t>(radius_) + 1;
    return fill_values(
        row_of(FormLoop::Mean, n * side * side * side), "forms: mean", n, means_.data(),
        MeansOfPlaces<Ref>{form, places_.means.data(), {side_, side_, side_}, radius_, means_.data()});
  }

  template <SceneForm Ref>
  FormsBenchRow cast(const Ref& form) {
    const Tiles tiles = {sizes_.picture, sizes_.picture};
    const uint64_t n = hits_.size();
    FormsBenchRow row = row_of(FormLoop::Rays, n);
    device_.fill(hits_.data(), n, VoxelHit{{-1, -1, -1}, UINT32_MAX});
    row.time = timed([&] {
      device_.for_each({"forms: rays", sizeof(VoxelHit)}, tiles.count(),
                       CastToVoxels<Ref>{form, rays_, tiles, hits_.data()});
    });
    row.filled = device_.sum("forms: count hits", n, IsHit{hits_.data()});
    row.checksum = device_.sum("forms: checksum of hits", n, MixedHit{hits_.data()});
    return row;
  }

  Device& device_;
  const FormsBenchSizes sizes_;
  const int32_t side_, radius_;
  FormPlaces places_;
  device::Buffer<uint8_t> words_;
  device::Buffer<float> means_;
  render::PixelRays rays_ = {};
  device::Buffer<VoxelHit> hits_;
};

}  // namespace vox::measure
