// The figures that several programs show on the screen and write into files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formats/pages/html_page.h"
#include "formats/results/results.h"
#include "formats/scene/scene_file.h"
#include "libvox/bricks/frozen_bricks.h"
#include "libvox/build/build_scene.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/engine/engine.h"
#include "libvox/ranks/ranks.h"
#include "libvox/spatial/frozen_hash.h"

namespace vox {

// The origin of results: the command line and the program that made them, and the time.

using RunOrigin = FileOrigin;
RunOrigin origin_of(const std::string& command);  // for a run that ends now

// Records the origin in a scene that has just been made.
void stamp(dag::VoxelScene& scene, const std::string& command);

// Set the origin at the root of a report, or at the end of a page.
void set_origin(ResultGroup& results, const RunOrigin& origin);
void set_origin(HtmlPage& page, const RunOrigin& origin);

// The conditions of a run that are not in its command: the machine, the build and the contents of the files that it reads.

// A fact about the machine or the build, with its name and an explanation.
struct MachineFact {
  std::string name, text, about;
};

struct InputFile {
  std::string file;
  uint64_t bytes = 0;
  std::string digest;
};

struct RunConditions {
  std::vector<MachineFact> machine;
  std::vector<InputFile> inputs;
};

// Returns the present conditions. The inputs are read. Inputs that are no files, such as pipes, are left out.
RunConditions conditions_of(const std::vector<std::filesystem::path>& inputs);

// Sets the conditions in the group `machine` and the table `inputs`. `name` is in_report or in_json.
using NameMaker = std::function<ResultName(std::string)>;
void set_conditions(ResultGroup& results, const RunConditions& conditions, const NameMaker& name);

// Writes the report of a run that has read these files.
void write_report_of(ResultGroup results, const std::vector<std::filesystem::path>& inputs,
                     const std::filesystem::path& file);

// Returns a measured number as people write it: with 3 digits, but with all digits before the point: "-1,000",
// "0.25", "12,345", "2.50e+07".
std::string number_text(double value);

// The figures on bricks that programs show on screen and write into files.

// Describes size, bytes and types in a few lines.
std::string describe_bricks(const bricks::FrozenBricks& bricks);

// Returns a table with a row for each of these types of bricks, and one for all of them.
ResultTable types_table(const bricks::FrozenBricks& bricks, const std::vector<uint32_t>& types);
ResultTable all_types_table(const bricks::FrozenBricks& bricks);
std::vector<uint32_t> all_brick_types();

// Sets the group `bricks`: bytes, size, filled, dense_bytes, and the number of bricks of each type. Returns it.
ResultGroup& set_bricks(ResultGroup& results, const bricks::FrozenBricks& bricks);

// Returns "262,144 voxels of u8, 32.81 % filled, as 4,096 bricks of 4³ in 120.00 KiB, 46.88 % of dense".
std::string bricks_line(const bricks::FrozenBricks& bricks);

// The figures on a spatial hash that programs show on screen and write into files.

// Sets the group `hash`: bytes, cells, load_factor, layout, probes.
void set_hash(ResultGroup& results, const spatial::FrozenHash& hash);

// Returns "86,000 voxels as a spatial hash of 90,528 cells, 95.0 % full, in 751.00 KiB, morton keys, 7 probes at
// most".
std::string hash_line(const spatial::FrozenHash& hash);

// Returns "13,400 nodes in symmetric form, 181.25 KiB".
std::string symmetric_line(const SymmetricSize& size);
SymmetricSize size_of(const dag::SymmetricDag& dag);

// The figures on a scene that programs show on screen and write into JSON.

// A scene, and the number of words of its levels, which need not have been read.
struct SceneFigures {
  SceneFigures(const dag::VoxelScene& scene);  // for a scene whose words have been read
  SceneFigures(const dag::VoxelScene& scene, std::vector<uint64_t> level_words,
               std::optional<AttributeInfo> colors = {}, std::optional<SymmetricSize> symmetric = {},
               std::optional<AttributeInfo> normals = {})
      : scene(scene),
        level_words(std::move(level_words)),
        colors(colors),
        normals(normals),
        symmetric(symmetric) {}

  uint64_t level_bytes(size_t level) const { return level_words[level] * sizeof(uint32_t); }
  uint64_t bytes() const;  // the bytes of all levels

  const dag::VoxelScene& scene;
  std::vector<uint64_t> level_words;
  std::optional<AttributeInfo> colors = {}, normals = {};
  std::optional<SymmetricSize> symmetric = {};  // if the file holds this form
};

// Returns the first and the last voxel along each axis: "x 0 to 63, y 2 to 9, z 0 to 63".
std::string box_text(const VoxelBox& box);

// Returns names and texts: "resolution", "4096 voxels along the longest side, cube of 4096"; "voxels", …
HtmlPage::Facts scene_facts(const SceneFigures& figures);

// Describes a scene's colors or normals: "12.30 MiB, 2.36 bits a voxel", and the digest if it is known.
std::string values_text(const SceneFigures& figures, const AttributeInfo& values);

// Describes size, palette with shares, and nodes of each level on one screen.
std::string describe_scene(const SceneFigures& figures);

// set_voxel_size() sets the side of a voxel, or its three sides. set_identity() sets the
// values that identify a scene, such as its digest, resolution and voxels.
void set_voxel_size(ResultGroup& results, const dag::VoxelScene& scene);
void set_identity(ResultGroup& results, const dag::FrozenDag& dag, uint64_t bytes);

// Sets these values and all others of the scene, its levels and its palette.
void set_scene(ResultGroup& results, const SceneFigures& figures);

// Returns "1,234,567 voxels, 45,678 unique nodes of 234,567, 1.20 MiB in memory, digest …".
std::string summary_line(const SceneFigures& figures);

// The work that a rank did for a scene, for --json.
struct RankFigures {
  build::BuildFigures share;
  uint64_t peak_device_bytes = 0;
  ranks::Traffic traffic = {};
};

// Collective. Returns the work of all ranks, in their order.
std::vector<RankFigures> gathered(const RankFigures& own, ranks::Ranks& ranks);

// Sets the table `ranks` unless `ranks` is empty.
void set_ranks(ResultGroup& results, const std::vector<RankFigures>& ranks);

// Shows the times of kernels for --profile.

void print_profile(const std::vector<device::KernelTime>& kernels);  // to stderr
// Sets the table `kernels` unless `kernels` is empty.
void set_profile(ResultGroup& results, const std::vector<device::KernelTime>& kernels);

// The time of a part of a run, in s, with a sentence about it.
struct NamedSeconds {
  const char* name;
  double seconds;
  const char* about;
};
void set_seconds(ResultGroup& results, const std::vector<NamedSeconds>& seconds);  // the group `seconds`
std::string seconds_text(
    const std::vector<NamedSeconds>& seconds);  // "load 0.12 s, write 0.03 s", without times of 0

// These set values that the results of several programs have: the process's peak of memory, and the device.
void set_peak_memory(ResultGroup& results);
void set_device(ResultGroup& results, const std::string& device);

}  // namespace vox
