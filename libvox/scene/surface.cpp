#include "libvox/scene/surface.h"

#include <tbb/blocked_range.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "libvox/base/bits.h"
#include "libvox/base/geometry.h"
#include "libvox/base/loops.h"
#include "libvox/scene/oklab.h"
#include "libvox/scene/texture.h"

namespace vox::scene {
namespace {

constexpr double kSamplesPerTexel = 1024;  // reached if the budget allows: small textures on few triangles
constexpr double kOneSample = 1e-6;        // texels that are enough for one sample at any density

// A painted triangle without a texture is sampled as if it had a texture with at most this many texels a
// side. The texels of a large atlas would leave no samples to textures.
constexpr uint32_t kPaintedTexels = 1024;

// Limits a value, because coordinates so large that their products overflow must not make a sum infinite.
double clamped(double value, double limit) {
  return value < limit ? value : limit;  // NaN becomes the limit
}

// Returns point i of a triangle's sequence as barycentric weights. The two steps are the fractions of the
// plastic number's powers (Martin Roberts, "The unreasonable effectiveness of quasirandom sequences", 2018).
Vec3d spread_point(uint64_t seed, uint64_t i) {
  auto u = static_cast<uint32_t>(seed + i * 3242174889u),
       v = static_cast<uint32_t>((seed >> 32) + i * 2447445414u);
  // Points beyond the diagonal are turned around its middle, without a branch, which no processor could predict.
  const int64_t turned = -static_cast<int64_t>((uint64_t{u} + v + UINT32_MAX) >> 33);  // -1 if u + v > 2^32
  const auto share = [turned](int64_t part) {
    return static_cast<double>((part ^ turned) - turned + (turned & int64_t{1} << 32)) * 0x1p-32;
  };
  const double x = share(u), y = share(v);
  return {1 - x - y, x, y};
}

std::array<Vec2<double>, 3> texcoords_of(const Scene& scene, const Triangle& triangle) {
  auto corner = [&](size_t i) {
    Vec2f uv = scene.texcoords[triangle.texcoord[i]];
    return Vec2<double>{static_cast<double>(uv.x), static_cast<double>(uv.y)};
  };
  return {corner(0), corner(1), corner(2)};
}

Vec2<double> texcoord_at(const std::array<Vec2<double>, 3>& corners, Vec3d weights) {
  const auto& [a, b, c] = corners;
  return {a.x * weights.x + b.x * weights.y + c.x * weights.z,
          a.y * weights.x + b.y * weights.y + c.y * weights.z};
}

uint64_t texel_at(const Image& image, const Material& material, Vec2<double> uv) {
  uint32_t x = wrapped_texel(uv.x, image.width, material.wrap_u),
           y = wrapped_texel(uv.y, image.height, material.wrap_v);
  return uint64_t{y} * image.width + x;
}

}  // namespace

SceneSurface::SceneSurface(const Scene& scene, const SurfacePaint* paint, uint64_t most_kept)
    : scene_(scene), paint_(paint) {
  colors_.reserve(scene.materials.size());
  for (const Material& material : scene.materials) colors_.emplace_back(material);

  auto [measures, total] = measure();
  double density = std::min(kSamplesPerTexel, static_cast<double>(kSampleBudget) / total.texels);
  first_slot_.reserve(measures.size() + 1), weights_.reserve(measures.size());
  first_slot_.push_back(0);
  for (const Measure& m : measures) {
    double samples = std::ceil(m.texels * density);  // 0 if invisible
    first_slot_.push_back(first_slot_.back() + static_cast<uint64_t>(samples));
    double weight = samples > 0 ? m.area / total.area * static_cast<double>(kAreaUnits) / samples : 0;
    weights_.push_back(static_cast<uint64_t>(weight + 0.5));
  }
  if (sample_slots() > most_kept) return;
  merge_texels();
  if (merged_.empty()) keep_colors();
}

SceneSurface::Measures SceneSurface::measure() const {
  constexpr size_t kBlock = 4096;
  size_t count = scene_.triangles.size(), blocks = (count + kBlock - 1) / kBlock;
  std::vector<Measure> triangles(count), sums(blocks);
  parallel_for(size_t{0}, blocks, [&](size_t block) {
    Measure sum = {0, 0};
    for (size_t i = block * kBlock; i < std::min(count, (block + 1) * kBlock); ++i) {
      triangles[i] = measure(scene_.triangles[i]);
      sum.area += triangles[i].area, sum.texels += triangles[i].texels;
    }
    sums[block] = sum;
  });
  Measure total = {0, 0};
  for (const Measure& sum : sums) total.area += sum.area, total.texels += sum.texels;  // in order
  return {std::move(triangles), total};
}

SceneSurface::Measure SceneSurface::measure(const Triangle& triangle) const {
  const Material& material = scene_.materials[triangle.material];
  auto corner = [&](size_t i) { return scene_.positions[triangle.position[i]]; };
  Vec3d normal = cross(corner(1) - corner(0), corner(2) - corner(0));
  double area = clamped(length(normal) / 2, 1e280);
  if (!(area > 0) || !is_solid(material, base_alpha(material))) return {0, 0};
  if (has_image(scene_, material) && triangle.texcoord[0] != kNone) {
    const Image& image = scene_.images[material.image];
    return {area, covered_texels(triangle, {image.width, image.height})};
  }
  if (is_painted(triangle)) {
    const uint32_t size = std::min(paint_->size, kPaintedTexels);
    return {area, covered_texels(triangle, {size, size})};
  }
  return {area, has_vertex_colors(scene_, material) ? 1 : kOneSample};
}

// Returns at least the triangle's length in the texture, where it may be a line, and at most all texels.
double SceneSurface::covered_texels(const Triangle& triangle, Vec2<uint32_t> size) const {
  auto corner = [&](size_t i) {
    Vec2f uv = scene_.texcoords[triangle.texcoord[i]];
    return Vec3d{static_cast<double>(uv.x) * size.x, static_cast<double>(uv.y) * size.y, 0};
  };
  Vec3d a = corner(1) - corner(0), b = corner(2) - corner(0);
  double area = std::abs(cross(a, b).z) / 2;
  double length = std::sqrt(std::max(dot(a, a), dot(b, b)));
  double all = static_cast<double>(size.x) * size.y;
  return std::max(kOneSample, clamped(std::max(area, length), all));
}

bool SceneSurface::is_painted(const Triangle& triangle) const {
  return paint_ && triangle.texcoord[0] != kNone && paint_->covers(triangle.material);
}

void SceneSurface::keep_colors() {
  std::vector<uint32_t> kept(sample_slots(), kHole);
  parallel_for(tbb::blocked_range<size_t>(0, scene_.triangles.size(), 16), [&](const auto& range) {
    for (size_t triangle = range.begin(); triangle < range.end(); ++triangle) {
      const uint64_t start = first_slot_[triangle];
      for_each_color(triangle, 0, first_slot_[triangle + 1] - start,
                     [&](uint64_t i, Rgb8 color) { kept[start + i] = packed_color(color); });
    }
  });
  kept_ = std::move(kept);
}

// Sums of weights do not depend on the order, so that the parts of a surface can be added up apart.
void SceneSurface::merge_texels() {
  constexpr uint64_t kMostTexels = 1 << 19;
  constexpr int kMostParts = 8;  // each of them has a sum for each texel
  std::vector<uint64_t> first_texel = {0};
  for (size_t i = 0; i < scene_.materials.size(); ++i) {
    const Material& material = scene_.materials[i];
    const bool merges = has_image(scene_, material) && !(paint_ && paint_->covers(static_cast<uint32_t>(i)));
    first_texel.push_back(first_texel.back() + (merges ? scene_.images[material.image].pixels.size() : 0));
  }
  const uint64_t texels = first_texel.back();
  if (texels == 0 || texels > std::min(kMostTexels, sample_slots() / 2)) return;

  struct Part {
    std::vector<uint64_t> weights;       // of texels
    std::vector<SurfaceSample> samples;  // of triangles without a texture
  };
  const auto count = static_cast<size_t>(std::min(tbb::this_task_arena::max_concurrency(), kMostParts));
  std::vector<Part> parts(count);
  parallel_for(size_t{0}, count, [&](size_t number) {
    Part& part = parts[number];
    part.weights.resize(texels);
    const auto first_of = [&](size_t n) {
      return n == count ? scene_.triangles.size() : triangle_of(sample_slots() * n / count);
    };
    for (size_t i = first_of(number); i < first_of(number + 1); ++i) {
      const Triangle& triangle = scene_.triangles[i];
      const Material& material = scene_.materials[triangle.material];
      const uint64_t samples = first_slot_[i + 1] - first_slot_[i], weight = weights_[i];
      if (first_texel[triangle.material] == first_texel[triangle.material + 1] ||
          triangle.texcoord[0] == kNone) {
        for_each_color(i, 0, samples, [&](uint64_t, Rgb8 color) {
          part.samples.push_back({triangle.material, color, weight});
        });
        continue;
      }
      const Image& image = scene_.images[material.image];
      uint64_t* const sums = part.weights.data() + first_texel[triangle.material];
      const std::array<Vec2<double>, 3> corners = texcoords_of(scene_, triangle);
      const uint64_t seed = mix64(i + 1);
      for (uint64_t n = 0; n < samples; ++n)
        sums[texel_at(image, material, texcoord_at(corners, spread_point(seed, n)))] += weight;
    }
  });
  for (const Part& part : parts) merged_.insert(merged_.end(), part.samples.begin(), part.samples.end());
  for (uint32_t i = 0; i < scene_.materials.size(); ++i)
    for (uint64_t texel = first_texel[i]; texel < first_texel[i + 1]; ++texel) {
      uint64_t weight = 0;
      for (const Part& part : parts) weight += part.weights[texel];
      const Rgba8 color = scene_.images[scene_.materials[i].image].pixels[texel - first_texel[i]];
      if (weight > 0 && colors_[i].solid(color)) merged_.push_back({i, colors_[i].color(color), weight});
    }
}

std::vector<SurfaceSample> SceneSurface::samples(uint64_t first, uint64_t last) const {
  std::vector<SurfaceSample> samples;
  samples.reserve(last - first);
  for (size_t triangle = triangle_of(first); first < last; ++triangle) {
    const uint64_t start = first_slot_[triangle], end = std::min(last, first_slot_[triangle + 1]);
    SurfaceSample sample = {scene_.triangles[triangle].material, {}, weights_[triangle]};
    for_each_color(triangle, first - start, end - start, [&](uint64_t, Rgb8 color) {
      sample.color = color;
      samples.push_back(sample);
    });
    first = end;
  }
  return samples;
}

// Calls put(i, color) for those of a triangle's samples that are no holes.
template <class Put>
void SceneSurface::for_each_color(size_t index, uint64_t first, uint64_t last, const Put& put) const {
  if (first >= last) return;
  const Triangle& triangle = scene_.triangles[index];
  const Material& material = scene_.materials[triangle.material];
  const MaterialColors& colors = colors_[triangle.material];
  const uint64_t seed = mix64(index + 1);
  const bool textured = has_image(scene_, material) && triangle.texcoord[0] != kNone;
  const bool vertex_colors = has_vertex_colors(scene_, material), painted = is_painted(triangle);
  const Rgb8 plain = colors.color({255, 255, 255, 255});
  std::array<Vec2<double>, 3> corners = {};
  if (textured || painted) corners = texcoords_of(scene_, triangle);
  for (uint64_t i = first; i < last; ++i) {
    const Vec3d weights = spread_point(seed, i);
    const Vec2<double> uv = texcoord_at(corners, weights);
    Rgb8 color = plain;
    if (textured) {
      const Image& image = scene_.images[material.image];
      const Rgba8 texel = image.pixels[texel_at(image, material, uv)];
      if (!colors.solid(texel)) continue;
      color = colors.color(texel);
    } else if (vertex_colors) {
      color = vertex_color_at(triangle, weights);
    }
    if (painted) color = paint_->color(triangle.material, uv, color);
    put(i, color);
  }
}

Rgb8 SceneSurface::vertex_color_at(const Triangle& triangle, Vec3d weights) const {
  auto corner = [&](size_t i) {
    Rgba8 color = scene_.colors[triangle.position[i]];
    return Vec3d{double(color.r), double(color.g), double(color.b)};
  };
  Vec3d color = corner(0) * weights.x + corner(1) * weights.y + corner(2) * weights.z;
  auto code = [](double value) { return static_cast<uint8_t>(value + 0.5); };
  return {code(color.x), code(color.y), code(color.z)};
}

namespace {

double unit(float value) {
  return value > 0 ? (value < 1 ? static_cast<double>(value) : 1) : 0;  // NaN becomes 0
}

}  // namespace

Vec3d base_linear(const Material& material) {
  return {unit(material.base_color[0]), unit(material.base_color[1]), unit(material.base_color[2])};
}

double base_alpha(const Material& material) {
  return unit(material.base_color[3]);
}

Rgb8 base_color(const Material& material) {
  return linear_to_srgb(base_linear(material));
}

bool is_solid(const Material& material, double alpha) {
  double cutoff = static_cast<double>(material.alpha_cutoff);
  return !(cutoff > 0) || alpha >= cutoff * (1 - 1e-5);
}

MaterialColors::MaterialColors(const Material& material) {
  Vec3d base = base_linear(material);
  for (uint32_t code = 0; code < 256; ++code) {
    Vec3d linear = base * srgb_to_linear(static_cast<uint8_t>(code));
    Rgb8 color = linear_to_srgb(linear);
    codes_[0][code] = color.r, codes_[1][code] = color.g, codes_[2][code] = color.b;
  }
  while (first_solid_ < 256 && !is_solid(material, base_alpha(material) * first_solid_ / 255)) ++first_solid_;
}

}  // namespace vox::scene
