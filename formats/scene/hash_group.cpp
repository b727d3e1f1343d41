#include "formats/scene/hash_group.h"

#include <fmt/format.h>

#include "formats/scene/h5_words.h"
#include "libvox/base/error.h"
#include "libvox/hash/keyed/lines_ref.h"
#include "libvox/voxelize/grid.h"

namespace vox {
namespace {

using Lines = hash::LinesRef<uint64_t>;

// In files of version 1 the order of the cells in a bucket says nothing except which cell is the last.
constexpr uint32_t kHashVersion = 2, kUntoldVersion = 1;
constexpr const char* kHashTable = "lines";

constexpr const char* kArithmetic =
    R"(Numbers have 64 bits and wrap around.
key = Morton code of x, y, z, or x + resolution * (y + resolution * z)
mix64(x): x ^= x >> 33; x *= 0xff51afd7ed558ccd; x ^= x >> 33; x *= 0xc4ceb9fe1a85ec53; x ^= x >> 33
block of a key: h = mix64(key / 16 + seed); low = h & 0xffffffff; high = h >> 32; step = 1 + (low * (lines - 1) >> 32)
bucket of turn t: line = ((high * lines >> 32) + t * step) % lines; side = key / 8 + (t < lines ? low >> t % 32 : 1 + (low >> (t - lines) % 32)); 2 * line + (side & 1)
cells of a bucket: cells[8 * bucket] to cells[8 * bucket + 7], each key << 4 | material, all ones where empty, these last
search: for turns 0 to probes - 1, look through the bucket; end with nothing where its last cell is empty
key 2^60 - 1: cells[16 * lines], where apart is 1)";

template <class T>
void require(const h5::Object& group, const std::string& name, T expected) {
  const T value = h5::read_attribute<T>(group, name);
  if (value != expected)
    throw Error(fmt::format("{} is {}, expected {}", name, value, expected))
        .at(group.where())
        .hint("a newer vox may read it");
}

spatial::KeyLayout read_layout(const h5::Object& group) {
  const std::string name = h5::read_text(group, "layout");
  for (size_t i = 0; i < spatial::kKeyLayoutNames.size(); ++i)
    if (name == spatial::kKeyLayoutNames[i]) return static_cast<spatial::KeyLayout>(i);
  throw Error(fmt::format("has keys in the unknown layout '{}'", name))
      .at(group.where())
      .hint("a newer vox may read it");
}

// Returns the version.
uint32_t read_format(const h5::Object& group) {
  const uint32_t version = h5::read_attribute<uint32_t>(group, "version");
  if (version != kUntoldVersion) require(group, "version", kHashVersion);
  if (const std::string table = h5::read_text(group, "table"); table != kHashTable)
    throw Error(fmt::format("has the table '{}', expected '{}'", table, kHashTable))
        .at(group.where())
        .hint("a newer vox may read it");
  require(group, "key_bits", spatial::kCellFormat.key_bits());
  require(group, "value_bits", spatial::kMaterialBits);
  require(group, "line_cells", Lines::kLineCells);
  require(group, "bucket_cells", Lines::kBucketCells);
  return version;
}

void read_scene_facts(const h5::Object& group, spatial::FrozenHash& hash) {
  hash.keys = {read_layout(group), h5::read_attribute<uint32_t>(group, "resolution")};
  if (hash.resolution() < voxelize::kMinResolution || hash.resolution() > voxelize::kMaxResolution)
    throw Error(fmt::format("the resolution is {}, expected {} to {}", hash.resolution(),
                            voxelize::kMinResolution, voxelize::kMaxResolution))
        .at(group.where());
  const uint32_t bits = h5::read_attribute<uint32_t>(group, "material_bits");
  if (bits != 0 && bits != spatial::kMaterialBits)
    throw Error(fmt::format("has {} bits for each material, expected 0 or 4", bits)).at(group.where());
  hash.materials = bits != 0;
  hash.voxels = h5::read_attribute<uint64_t>(group, "voxels");
  hash.load_factor = h5::read_attribute<double>(group, "load_factor");
  if (!(hash.load_factor > 0 && hash.load_factor <= 1))
    throw Error(fmt::format("the load factor is {}, expected one above 0 and at most 1", hash.load_factor))
        .at(group.where());
}

}  // namespace

void write_hash_group(const h5::Object& file, const spatial::FrozenHash& hash,
                      const Compression& compression) {
  const h5::Object group = h5::create_group(file, "hash");
  h5::write_attribute(group, "version", kHashVersion);
  h5::write_text(group, "table", kHashTable);
  h5::write_text(group, "layout",
                 std::string(spatial::kKeyLayoutNames[static_cast<size_t>(hash.keys.layout)]));
  h5::write_attribute(group, "resolution", hash.resolution());
  h5::write_attribute(group, "material_bits", uint32_t{hash.materials ? spatial::kMaterialBits : 0});
  h5::write_attribute(group, "key_bits", spatial::kCellFormat.key_bits());
  h5::write_attribute(group, "value_bits", uint32_t{spatial::kMaterialBits});
  h5::write_attribute(group, "line_cells", uint32_t{Lines::kLineCells});
  h5::write_attribute(group, "bucket_cells", uint32_t{Lines::kBucketCells});
  h5::write_attribute(group, "voxels", hash.voxels);
  h5::write_attribute(group, "lines", hash.lines);
  h5::write_attribute(group, "seed", hash.seed);
  h5::write_attribute(group, "probes", hash.probes);
  h5::write_attribute(group, "apart", hash.apart);
  h5::write_attribute(group, "load_factor", hash.load_factor);
  h5::write_text(group, "arithmetic", kArithmetic);
  h5::write_words(group, "cells", hash.cells, compression);
}

spatial::FrozenHash read_hash_group(const h5::Object& file) {
  const h5::Object group = h5::open_group(file, "hash");
  spatial::FrozenHash hash;
  const uint32_t version = read_format(group);
  read_scene_facts(group, hash);
  hash.lines = h5::read_attribute<uint64_t>(group, "lines");
  hash.seed = h5::read_attribute<uint64_t>(group, "seed");
  hash.probes = h5::read_attribute<uint32_t>(group, "probes");
  hash.apart = h5::read_attribute<uint32_t>(group, "apart");
  hash.cells = h5::read_long_words(h5::open_dataset(group, "cells"));
  try {
    spatial::check_structure(hash);
  } catch (const Error& error) {
    throw Error(error.what()).at(group.where()).about(error.setting());
  }
  if (version == kUntoldVersion) spatial::tell_turns(hash);
  return hash;
}

}  // namespace vox
