// Prints the edits of `vox-bench edit --series spheres|copies --orders sequence` as a script that vox-edit and edits.cu
// read:
//   edit_list SCENE.basic_dag.dag.bin spheres|copies [SEED [COPIES]]
// SEED (1) is that of vox-bench, and COPIES (50) the number of copies of each side. The places are those that
// measure::filled_places() chooses in the scene from which the file was made, if y is up in it. The sizes are those of
// libvox/measure/edit_bench.cpp. A file of HashDAG has no materials, so spheres have none either: in a scene with
// materials, vox-bench gives the first sphere material 0, the second one material 1, and so on.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

using Place = std::array<int32_t, 3>;

uint64_t mix(uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdull;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ull;
  return x ^ x >> 33;
}

class Dice {
 public:
  explicit Dice(uint64_t seed) : state_(mix(seed + 1)) {}
  // Returns one of the set bits of a mask.
  uint32_t bit_of(uint64_t mask) {
    state_ += 0x9e3779b97f4a7c15;
    for (uint64_t left = mix(state_) % static_cast<uint64_t>(std::popcount(mask)); left > 0; --left)
      mask &= mask - 1;
    return static_cast<uint32_t>(std::countr_zero(mask));
  }

 private:
  uint64_t state_;
};

// A slot of HashDAG is x << 2 | y << 1 | z, and an octant of vox x | y << 1 | z << 2. The function converts both ways.
uint32_t turned(uint32_t slot) {
  return (slot >> 2 & 1) | (slot & 2) | (slot & 1) << 2;
}
uint64_t turned_mask(uint64_t mask) {
  uint64_t octants = 0;
  for (uint32_t slot = 0; slot < 8; ++slot) octants |= (mask >> slot & 1) << turned(slot);
  return octants;
}
uint64_t turned_leaf(uint64_t mask) {
  uint64_t octants = 0;
  for (uint32_t slot = 0; slot < 8; ++slot)
    octants |= turned_mask(mask >> 8 * slot & 0xff) << 8 * turned(slot);
  return octants;
}

class Scene {
 public:
  explicit Scene(const char* path) : file_(path, std::ios::binary) {
    file_.seekg(48);
    file_.read(reinterpret_cast<char*>(&levels_), sizeof levels_);
    if (!file_ || levels_ < 2 || levels_ > 20) throw std::runtime_error("not a file of HashDAG");
  }
  uint32_t resolution() const { return 1u << levels_; }

  std::vector<Place> filled_places(uint64_t seed, size_t count) {
    Dice dice(seed);
    std::vector<Place> places;
    while (places.size() < count) places.push_back(filled_place(dice));
    return places;
  }

 private:
  Place filled_place(Dice& dice) {
    Place place = {0, 0, 0};
    uint32_t node = 0;
    for (uint32_t level = 0; level + 2 < levels_; ++level) {
      const uint32_t mask = word(node) & 0xff, octant = dice.bit_of(turned_mask(mask)), slot = turned(octant);
      descend(place, octant);
      node = word(node + 1 + static_cast<uint32_t>(std::popcount(mask & ((1u << slot) - 1))));
    }
    const uint64_t leaf = word(node) | uint64_t{word(node + 1)} << 32;
    const uint32_t voxel = dice.bit_of(turned_leaf(leaf));
    descend(place, voxel >> 3);
    descend(place, voxel & 7);
    return place;
  }
  static void descend(Place& place, uint32_t octant) {
    for (uint32_t axis = 0; axis < 3; ++axis)
      place[axis] = place[axis] << 1 | static_cast<int32_t>(octant >> axis & 1);
  }
  uint32_t word(uint32_t index) {
    uint32_t value = 0;
    file_.seekg(60 + std::streamoff{4} * index);
    file_.read(reinterpret_cast<char*>(&value), sizeof value);
    if (!file_) throw std::runtime_error("the file is truncated");
    return value;
  }

  std::ifstream file_;
  uint32_t levels_ = 0;
};

// Returns twelve sizes, which are for a resolution of `of`, scaled to another resolution.
std::vector<uint32_t> paper_sizes(double first, double last, double of, uint32_t resolution) {
  std::vector<uint32_t> sizes;
  for (int i = 0; i < 12; ++i)
    sizes.push_back(
        std::max(1u, static_cast<uint32_t>((first + (last - first) * i / 11) * resolution / of + 0.5)));
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

void print_spheres(Scene& scene, uint64_t seed) {
  const std::vector<uint32_t> radii = paper_sizes(1140, 1820, 1 << 17, scene.resolution());
  const std::vector<Place> places = scene.filled_places(seed, radii.size());
  for (size_t i = 0; i < radii.size(); ++i)
    std::printf("sphere add center %d.5,%d.5,%d.5 radius %u\n", places[i][0], places[i][1], places[i][2],
                radii[i]);
}

// Returns the lowest corner of a box of this side around a voxel, moved along x.
Place box_corner(const Place& voxel, uint32_t side, uint64_t shift, uint32_t resolution) {
  const auto last = static_cast<int32_t>(resolution - side), half = static_cast<int32_t>(side / 2);
  Place corner;
  for (uint32_t axis = 0; axis < 3; ++axis) corner[axis] = std::clamp(voxel[axis] - half, 0, last);
  corner[0] = static_cast<int32_t>((static_cast<uint64_t>(corner[0]) + shift) % (uint64_t(last) + 1));
  return corner;
}

void print_copies(Scene& scene, uint64_t seed, uint32_t copies) {
  const std::vector<uint32_t> sides = paper_sizes(254, 586, 1 << 16, scene.resolution());
  const std::vector<Place> places = scene.filled_places(seed + 1, 2 * sides.size());
  for (size_t i = 0; i < sides.size(); ++i)
    for (uint32_t copy = 0; copy < copies; ++copy) {
      const uint64_t shift = copy * uint64_t{sides[i] / 8 + 1};
      const auto side = static_cast<int32_t>(sides[i]);
      const Place from = box_corner(places[2 * i], sides[i], shift, scene.resolution());
      const Place to = box_corner(places[2 * i + 1], sides[i], shift, scene.resolution());
      std::printf("copy min %d,%d,%d max %d,%d,%d to %d,%d,%d\n", from[0], from[1], from[2], from[0] + side,
                  from[1] + side, from[2] + side, to[0], to[1], to[2]);
    }
}

int main(int argc, char** argv) try {
  const std::string series = argc > 2 ? argv[2] : "";
  if (series != "spheres" && series != "copies") {
    std::fprintf(stderr, "usage: edit_list SCENE.basic_dag.dag.bin spheres|copies [SEED [COPIES]]\n");
    return 2;
  }
  Scene scene(argv[1]);
  const uint64_t seed = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1;
  if (series == "spheres") {
    print_spheres(scene, seed);
  } else {
    print_copies(scene, seed, argc > 4 ? static_cast<uint32_t>(std::atoi(argv[4])) : 50);
  }
} catch (const std::exception& error) {
  std::fprintf(stderr, "error: %s: %s\n", argv[1], error.what());
  return 1;
}
