#include "tools/common/reports.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "formats/results/views.h"
#include "libvox/base/json.h"
#include "libvox/base/process.h"
#include "libvox/base/units.h"
#include "libvox/measure/stats.h"
#include "tools/common/tool.h"

namespace vox {

RunOrigin origin_of(const std::string& command) {
  return {generator_text(), command, timestamp()};
}

void stamp(dag::VoxelScene& scene, const std::string& command) {
  const RunOrigin origin = origin_of(command);
  scene.generator = origin.generator;
  scene.command = origin.command;
  scene.created = origin.created;
}

void set_origin(ResultGroup& results, const RunOrigin& origin) {
  results.set(in_report("generator"), origin.generator, "The program and its version.")
      .set(in_report("command"), origin.command, "Its command line.")
      .set(in_report("created"), origin.created, "The time at which the file was written.");
}

void set_origin(HtmlPage& page, const RunOrigin& origin) {
  page.made_by({{"command", origin.command}, {"generator", origin.generator}, {"created", origin.created}});
}

std::string number_text(double value) {
  const double size = std::fabs(value);
  if (size != 0 && (size < 1e-3 || size >= 999999.5)) return fmt::format("{:.2e}", value);
  if (size < 999.5) return fmt::format("{:.3g}", value);
  return (value < 0 ? "-" : "") + format_count(static_cast<uint64_t>(size + 0.5));
}

namespace {

double percent(uint64_t part, uint64_t whole) {
  return 100 * static_cast<double>(part) / static_cast<double>(whole);
}

struct TypeRow {
  std::string name;
  uint64_t bricks, bytes;
};

ResultTable types_table(const std::vector<TypeRow>& rows, uint64_t all) {
  const auto share = [&](const TypeRow& row) {
    return static_cast<double>(row.bricks) / static_cast<double>(std::max<uint64_t>(1, all));
  };
  ResultTable table;
  table.column("name", "", rows, &TypeRow::name, both({"type"}), "Name of a type of bricks.")
      .column("bricks", "bricks", rows, &TypeRow::bricks, both({"bricks", Look::count()}),
              "Number of bricks of the type.")
      .column(for_people("share"), "", rows, share,
              {.screen = {"share", Look::fixed(1, 100), "%"}, .page = {"of all", Look::fixed(1, 100), "%"}})
      .column("bytes", "bytes", rows, &TypeRow::bytes,
              {.screen = {"bytes", Look::bytes()}, .page = {"size", Look::count(), "bytes"}},
              "Size of these bricks.");
  return table;
}

std::string_view layout_name(const spatial::FrozenHash& hash) {
  return spatial::kKeyLayoutNames[static_cast<size_t>(hash.keys.layout)];
}

double filled_share(const spatial::FrozenHash& hash) {
  return static_cast<double>(hash.voxels) / static_cast<double>(hash.cells.size());
}

const char* up_text(dag::UpAxis up) {
  return up == dag::UpAxis::X ? "x" : up == dag::UpAxis::Y ? "y" : "z";
}

const char* coverage_text(const dag::VoxelScene& scene) {
  return scene.coverage == scene::Coverage::Thin ? "thin" : "conservative";
}

ResultTable levels_table(const SceneFigures& figures) {
  const dag::FrozenDag& dag = figures.scene.dag;
  std::vector<uint64_t> sides, bytes;
  for (uint32_t level = 0; level < dag.levels.size(); ++level) {
    sides.push_back(dag.level_side(level));
    bytes.push_back(figures.level_bytes(level));
  }
  ResultTable table;
  table
      .column("side", "voxels", std::move(sides), both({"side"}),
              "Side of a node's cube; the first level is the root's, and leaves have 4.")
      .column("svo_nodes", "nodes", dag.levels, &dag::DagLevel::svo_nodes,
              both({"octree nodes", Look::count()}), "Number of nodes in the octree.")
      .column("unique_nodes", "nodes", dag.levels, &dag::DagLevel::nodes,
              both({"unique nodes", Look::count()}), "Number of nodes in the DAG.")
      .column("bytes", "bytes", std::move(bytes), both({"bytes", Look::bytes()}),
              "Size of the unique nodes.");
  return table;
}

// Returns the names of the mesh that a material stands for, the first few of them, unless its own name says it.
std::string members_text(const std::vector<std::string>& names, const std::string& own) {
  constexpr size_t kShown = 3;
  if (names.empty() || (names.size() == 1 && names[0] == own)) return "";
  const size_t shown = std::min(names.size(), kShown), more = names.size() - shown;
  return fmt::format("{}{}", fmt::join(names.begin(), names.begin() + static_cast<ptrdiff_t>(shown), ", "),
                     more > 0 ? fmt::format(" and {} more", format_count(more)) : "");
}

std::string members_text(const scene::Palette& palette, uint32_t entry) {
  std::vector<std::string> names;
  for (const scene::NamedEntry& member : palette.members)
    if (member.entry == entry) names.push_back(member.name);
  return members_text(names, palette.names[entry]);
}

// Returns the first `rows` of the materials that colors stand for.
ResultTable named_table(const std::vector<scene::NamedColor>& named, size_t rows) {
  std::vector<uint32_t> numbers(rows);
  std::iota(numbers.begin(), numbers.end(), 0u);
  const auto members = [&](uint32_t i) { return members_text(named[i].members, named[i].name); };
  ResultTable table;
  table.column("number", "", numbers, std::identity(), both({"material"}), "Number of the material.")
      .column(
          "color", "", numbers, [&](uint32_t i) { return scene::hex_name(named[i].color); }, both({"color"}),
          "The color of its voxels, as `#rrggbb`, which no other material has.")
      .column(
          "name", "", numbers, [&](uint32_t i) { return named[i].name; }, both({"name"}),
          "Its name in the mesh.");
  if (std::ranges::any_of(numbers, [&](uint32_t i) { return !members(i).empty(); }))
    table.column(for_people("members"), "", numbers, members, both({"stands for"}));
  return table;
}

// Returns the materials that colors stand for, as text of a few lines.
std::string named_text(const std::vector<scene::NamedColor>& named) {
  constexpr size_t kShown = 32;
  const size_t rows = std::min(named.size(), kShown);
  std::string text = "\n" + text_table(named_table(named, rows)).text();
  if (rows < named.size())
    text += fmt::format("and {} more: --json, or --materials-out with an output, lists all\n",
                        format_count(named.size() - rows));
  return text;
}

ResultTable palette_table(const dag::VoxelScene& scene) {
  std::vector<uint32_t> entries(scene.palette.count);
  std::iota(entries.begin(), entries.end(), 0u);
  const auto color = [&](uint32_t i) { return scene::hex_name(scene.palette.colors[i]); };
  const auto name = [&](uint32_t i) { return scene.palette.names[i]; };
  // For people, a color without a name of its own stands there once.
  const auto own_name = [&](uint32_t i) { return name(i) == color(i) ? std::string() : name(i); };
  ResultTable table;
  table.column(for_people(), "", entries, std::identity(), both({"palette"}))
      .column("color", "", entries, color, both({"color"}), "The color of an entry, as `#rrggbb`.")
      .column("name", "", entries, name, "Its name, which is the color if there is no better one.")
      .column(for_people("name"), "", entries, own_name, both({"name"}));
  const auto members = [&](uint32_t i) { return members_text(scene.palette, i); };
  if (std::ranges::any_of(entries, [&](uint32_t i) { return !members(i).empty(); }))
    table.column(for_people("members"), "", entries, members, both({"stands for"}));
  table.column(
      "share", "1", entries, [&](uint32_t i) { return double{scene.shares[i]}; },
      both({scene.history.empty() ? "of the surface" : "of the surface before edits", Look::fixed(1, 100),
            "%"}),
      "Share of the surface that has the color, as the mesh was converted.");
  return table;
}

}  // namespace

std::string bricks_line(const bricks::FrozenBricks& bricks) {
  return fmt::format("{} voxels of {}, {:.2f} % filled, as {} bricks of {}³ in {}, {:.2f} % of dense",
                     format_count(bricks.info.box().voxels()), volume::value_type_name(bricks.info.type),
                     percent(bricks.filled, bricks.info.box().voxels()), format_count(bricks.bricks()),
                     bricks.shape().side(), format_bytes(bricks.bytes()),
                     percent(bricks.bytes(), bricks.info.bytes()));
}

std::string describe_bricks(const bricks::FrozenBricks& bricks) {
  const volume::VolumeInfo& info = bricks.info;
  std::vector<uint32_t> types = all_brick_types();
  std::erase_if(types, [&](uint32_t type) { return bricks.counts[type] == 0; });
  const std::string root =
      bricks.is_sparse()
          ? fmt::format("a sparse root of {} entries, {}", format_count(bricks.entries()),
                        format_bytes((bricks.root.size() + bricks.groups.words()) * sizeof(uint32_t)))
          : fmt::format("a dense root, {}", format_bytes(bricks.root.size() * sizeof(uint32_t)));
  return facts_text(
             {{"volume",
               fmt::format("{} x {} x {} voxels of {}, {} filled", info.size.x, info.size.y, info.size.z,
                           volume::value_type_name(info.type), format_count(bricks.filled))},
              {"spacing",
               fmt::format("{:.6g}, {:.6g}, {:.6g}, origin {:.6g}, {:.6g}, {:.6g}", info.spacing.x,
                           info.spacing.y, info.spacing.z, info.origin.x, info.origin.y, info.origin.z)},
              {"source", info.source},
              {"bricks", fmt::format("{} of {}³ voxels, {}, {:.2f} % of dense", format_count(bricks.bricks()),
                                     bricks.shape().side(), format_bytes(bricks.bytes()),
                                     percent(bricks.bytes(), info.bytes()))},
              {"root", root}}) +
         text_table(types_table(bricks, types)).text();
}

std::vector<uint32_t> all_brick_types() {
  std::vector<uint32_t> types(bricks::kBrickTypeCount);
  std::iota(types.begin(), types.end(), 0u);
  return types;
}

ResultTable types_table(const bricks::FrozenBricks& bricks, const std::vector<uint32_t>& types) {
  std::vector<TypeRow> rows;
  for (const uint32_t type : types)
    rows.push_back(
        {std::string(bricks::BrickTypes::kNames[type]), bricks.counts[type], bricks.type_bytes(type)});
  return types_table(rows, bricks.entries());
}

ResultTable all_types_table(const bricks::FrozenBricks& bricks) {
  return types_table({{"all", bricks.entries(), bricks.bytes()}}, bricks.entries());
}

ResultGroup& set_bricks(ResultGroup& results, const bricks::FrozenBricks& bricks) {
  ResultGroup& group = results.group("bricks");
  group.set("bytes", bricks.bytes(), "bytes", "Size of bricks and root grid.")
      .set("size", bricks.shape().side(), "voxels", "Side of a brick.")
      .set(in_json("count"), bricks.bricks(), "bricks", "Number of bricks of all types.")
      .set("filled", bricks.filled, "voxels", "Number of filled voxels.")
      .set(in_json("value_type"), volume::value_type_name(bricks.info.type),
           "Type of a voxel's value, such as `u8`.")
      .set("dense_bytes", bricks.info.bytes(), "bytes", "Size of the volume as an array.");
  const ResultTable types = types_table(bricks, all_brick_types());
  ResultGroup &counts = group.group(in_json("types")), &bytes = group.group(in_json("type_bytes"));
  for (uint32_t type = 0; type < bricks::kBrickTypeCount; ++type) {
    const ResultName name = listed_as("TYPE", types["name"].text(type));
    counts.set(name, bricks.counts[type], "bricks", types["bricks"].about);
    bytes.set(name, bricks.type_bytes(type), "bytes", types["bytes"].about);
  }
  group.put(in_report("types"), types);
  return group;
}

std::string hash_line(const spatial::FrozenHash& hash) {
  return fmt::format("{} voxels as a spatial hash of {} cells, {:.1f} % full, in {}, {} keys, {} at most",
                     format_count(hash.voxels), format_count(hash.cells.size()), 100 * filled_share(hash),
                     format_bytes(hash.bytes()), layout_name(hash), format_count(hash.probes, "probe"));
}

void set_hash(ResultGroup& results, const spatial::FrozenHash& hash) {
  results.group("hash")
      .set("bytes", hash.bytes(), "bytes", "Size of the cells.")
      .set("cells", uint64_t{hash.cells.size()}, "cells", "Number of cells, including empty ones.")
      .set("load_factor", filled_share(hash), "1", "Number of voxels for each cell.")
      .set("layout", layout_name(hash), "The layout of the keys: `morton` or `linear`.")
      .set("probes", hash.probes, "buckets", "Number of buckets that a search reads at most.");
}

std::string symmetric_line(const SymmetricSize& size) {
  return fmt::format("{} in symmetric form, {}", format_count(size.nodes, "node"), format_bytes(size.bytes));
}

SymmetricSize size_of(const dag::SymmetricDag& dag) {
  return {dag.nodes(), dag.bytes()};
}

SceneFigures::SceneFigures(const dag::VoxelScene& scene) : scene(scene) {
  for (const dag::DagLevel& level : scene.dag.levels) level_words.push_back(level.words.size());
  if (scene.colors) colors = AttributeInfo{scene.colors->bytes()};
}

uint64_t SceneFigures::bytes() const {
  uint64_t sum = 0;
  for (size_t level = 0; level < level_words.size(); ++level) sum += level_bytes(level);
  return sum;
}

std::string values_text(const SceneFigures& figures, const AttributeInfo& values) {
  const auto voxels = static_cast<double>(figures.scene.dag.voxels);
  return fmt::format("{}, {:.2f} bits a voxel{}{}", format_bytes(values.bytes),
                     voxels > 0 ? 8 * static_cast<double>(values.bytes) / voxels : 0,
                     values.digest ? ", digest " : "", values.digest ? dag::to_string(*values.digest) : "");
}

std::string summary_line(const SceneFigures& figures) {
  const dag::VoxelScene& scene = figures.scene;
  return fmt::format("{} voxels, {} unique nodes of {}, {} in memory{}, digest {}",
                     format_count(scene.dag.voxels), format_count(scene.dag.unique_nodes()),
                     format_count(scene.dag.svo_nodes()), format_bytes(figures.bytes()),
                     figures.colors ? " and colors of " + values_text(figures, *figures.colors) : "",
                     dag::to_string(scene.dag.digest));
}

std::string box_text(const VoxelBox& box) {
  return fmt::format("x {} to {}, y {} to {}, z {} to {}", box.min.x, box.max.x - 1, box.min.y, box.max.y - 1,
                     box.min.z, box.max.z - 1);
}

HtmlPage::Facts scene_facts(const SceneFigures& figures) {
  const dag::VoxelScene& scene = figures.scene;
  const dag::FrozenDag& dag = scene.dag;
  HtmlPage::Facts facts = {
      {"resolution", fmt::format("{} voxels along the longest side, cube of {}", dag.resolution, dag.side())},
      {"voxels", fmt::format("{} ({}{}{})", format_count(dag.voxels), coverage_text(scene),
                             scene.solid ? ", solid" : "",
                             dag.materials    ? ", 4-bit materials"
                             : figures.colors ? ", 24-bit colors"
                                              : ", no materials")},
      {"voxel size",
       fmt::format("{} {}, origin {:.6g}, {:.6g}, {:.6g}, {} axis up", format_sides(scene.voxel_size),
                   scene.unit == scene::LengthUnit::Meter ? "m" : "scene units", scene.origin.x,
                   scene.origin.y, scene.origin.z, up_text(scene.up))},
      {"digest", dag::to_string(dag.digest)},
      {"source", scene.source},
      {"made by", fmt::format("{}, {}", scene.generator, scene.created)},
      {"command", scene.command},
      {"nodes", fmt::format("{} unique of {} in the octree, {}", format_count(dag.unique_nodes()),
                            format_count(dag.svo_nodes()), format_bytes(figures.bytes()))}};
  if (figures.colors) facts.emplace_back("colors", values_text(figures, *figures.colors));
  if (figures.normals) facts.emplace_back("normals", values_text(figures, *figures.normals));
  if (figures.symmetric) facts.emplace_back("symmetric", symmetric_line(*figures.symmetric));
  return facts;
}

std::string describe_scene(const SceneFigures& figures) {
  const dag::VoxelScene& scene = figures.scene;
  HtmlPage::Facts facts = scene_facts(figures);
  if (!scene.history.empty())
    facts.emplace_back("history",
                       fmt::format("edited {}, last {}", format_count(scene.history.size(), "time"),
                                   scene.history.back().time));
  std::string text = facts_text(facts) + "\n" + text_table(levels_table(figures)).text();
  if (scene.palette.count > 0) text += "\n" + text_table(palette_table(scene)).text();
  if (!scene.named_colors.empty()) text += named_text(scene.named_colors);
  return text;
}

void set_identity(ResultGroup& results, const dag::FrozenDag& dag, uint64_t bytes) {
  measure::LevelStats all;
  all.svo_nodes = dag.svo_nodes();
  all.unique_nodes = dag.unique_nodes();
  results
      .set("digest", dag::to_string(dag.digest),
           "128 bits that name the content of the scene, in hexadecimal.")
      .set("resolution", dag.resolution, "voxels", "Number of voxels along the longest side.")
      .set("depth", dag.depth(), "levels", "Number of levels of nodes above the leaves.")
      .set("voxels", dag.voxels, "voxels", "Number of filled voxels.")
      .set("dag_bytes", bytes, "bytes", "Size of nodes and leaves alone.")
      .set("material_bits", dag.materials ? 4u : 0u, "bits",
           "Number of bits of a filled voxel's material: 4, or 0 without materials.")
      .set("dedup", all.reduction(), "octree nodes per unique node",
           "Number of octree nodes for each unique one, in all levels.");
}

void set_voxel_size(ResultGroup& results, const dag::VoxelScene& scene) {
  const VoxelSize& sides = scene.voxel_size;
  const char* const about = "Side of a voxel; three sides, along x, y and z, if voxels are no cubes.";
  if (sides.is_cube())
    results.set("voxel_size", sides.x, "scene units", about);
  else
    results.set("voxel_size", std::vector{sides.x, sides.y, sides.z}, "scene units", about);
}

void set_scene(ResultGroup& results, const SceneFigures& figures) {
  const dag::VoxelScene& scene = figures.scene;
  const dag::FrozenDag& dag = scene.dag;
  ResultGroup& json = results.group(in_json("."));
  set_identity(json, dag, figures.bytes());
  json.set("unique_nodes", dag.unique_nodes(), "nodes", "Number of nodes of the DAG, leaves included.")
      .set("svo_nodes", dag.svo_nodes(), "nodes",
           "Number of nodes of the octree, in which nothing is shared.")
      .set("coverage", coverage_text(scene), "`conservative` or `thin`.")
      .set("solid", scene.solid, "True if closed surfaces are filled.");
  set_voxel_size(json, scene);
  json.set("up", up_text(scene.up), "The axis that points up: `x`, `y` or `z`.")
      .set("source", scene.source, "Names of the files that the scene was made from.")
      .set("origin", std::vector{scene.origin.x, scene.origin.y, scene.origin.z}, "scene units",
           "Position of the grid's corner: x, y, z.");
  json.put("levels", levels_table(figures));
  json.put("palette", palette_table(scene));
  if (!scene.named_colors.empty())
    json.put("materials", named_table(scene.named_colors, scene.named_colors.size()));
}

}  // namespace vox
