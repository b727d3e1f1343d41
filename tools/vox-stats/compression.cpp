// The part of vox-stats on compression: the size of the scene's geometry in every form of an octree or a DAG, and that of its
// materials.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "formats/pages/html_page.h"
#include "formats/results/views.h"
#include "libvox/base/units.h"
#include "tools/vox-stats/stats.h"

namespace vox {
namespace {

using Form = measure::CompressionForm;

// The bytes of the SVDAG, if it has been counted.
std::optional<uint64_t> svdag_bytes_of(const measure::CompressionStats& stats) {
  const auto svdag =
      std::ranges::find(stats.forms, "svdag_4", [](const Form& form) { return form.size.name; });
  return svdag == stats.forms.end() ? std::nullopt : std::optional(svdag->size.bytes);
}

ResultTable forms_of(const measure::CompressionStats& stats) {
  const std::optional<uint64_t> svdag = svdag_bytes_of(stats);
  const auto size = [](auto value) { return [=](const Form& form) { return form.size.*value; }; };
  const auto bits = [&](const Form& form) { return measure::bits_per_voxel(form.size, stats.voxels); };
  const auto to_svdag = [&](const Form& form) -> std::optional<double> {
    if (!svdag) return std::nullopt;
    return static_cast<double>(form.size.bytes) / static_cast<double>(std::max<uint64_t>(1, *svdag));
  };
  ResultTable table;
  table
      .column("name", "", stats.forms, size(&measure::SceneSize::name),
              "Name of a form of the scene's geometry.")
      .column("form", "", stats.forms, size(&measure::SceneSize::text), both({"form", Look::words()}),
              "The form in words.")
      .column("nodes", "nodes", stats.forms, &Form::nodes, both({"nodes", Look::count()}),
              "Number of nodes and leaves that it stores.")
      .column("bytes", "bytes", stats.forms, size(&measure::SceneSize::bytes), kMibHeadings, "Its size.")
      .column("bits_per_voxel", "bits per filled voxel", stats.forms, bits, kBitsHeadings,
              "The same for each filled voxel.")
      .column("to_svdag", "of the SVDAG's bytes", stats.forms, to_svdag,
              both({"of the SVDAG", Look::fixed(1, 100), "%"}),
              "Its size divided by that of the SVDAG with leaves of 4³ voxels.");
  return table;
}

// The materials in each form.
ResultTable materials_of(const measure::CompressionStats& stats) {
  const auto with_svdag = [geometry = svdag_bytes_of(stats)](const measure::SceneSize& form) {
    return geometry ? std::optional(form.bytes + *geometry) : std::nullopt;
  };
  ResultTable table;
  add_forms(table, stats.materials, stats.voxels, "form", "materials", kMibHeadings);
  table.column(
      "with_svdag", "bytes", stats.materials, with_svdag,
      {.screen = {"MiB with the SVDAG", Look::mib()}, .page = {"with the SVDAG", Look::mib(), "MiB"}},
      "Its size together with that of the geometry's SVDAG with leaves of 4³ voxels.");
  return table;
}

// One level, and what it is under each group of symmetries. What has not been counted is absent.
struct SharedRow {
  uint64_t level, side, octree_nodes;
  std::array<const measure::SharedLevel*, 3> shared;
  std::optional<uint64_t> moved = {}, moved_stored = {};
};

std::vector<SharedRow> shared_rows(const SceneStats& stats) {
  const measure::CompressionStats& compression = *stats.compression;
  std::vector<SharedRow> rows;
  for (uint32_t level = 0; level < compression.octree_nodes.size(); ++level) {
    rows.push_back({level, stats.scene.dag.level_side(level), compression.octree_nodes[level], {}});
    for (size_t i = 0; i < compression.shared.size(); ++i)
      if (const auto& shared = compression.shared[i]) rows.back().shared[i] = &shared->levels[level];
    if (compression.moved_nodes.empty()) continue;
    rows.back().moved = compression.moved_nodes[level];
    rows.back().moved_stored = compression.moved_stored[level];
  }
  return rows;
}

ResultTable shared_table(const std::vector<SharedRow>& rows) {
  struct Group {
    const char *name, *title, *about;
  };
  constexpr std::array<Group, 3> kGroups = {
      {{"plain", "unique nodes", "equal nodes are one"},
       {"mirrored", "up to mirrors", "nodes that are equal after mirrors are one"},
       {"symmetric", "up to turns", "nodes that are equal after turns and mirrors are one"}}};
  ResultTable table;
  table.column("level", "", rows, &SharedRow::level, "Number of the level; that of the root is 0.")
      .column("side", "voxels", rows, &SharedRow::side, both({"side"}), "Side of a node's cube.")
      .column("octree_nodes", "nodes", rows, &SharedRow::octree_nodes, both({"octree nodes", Look::count()}),
              "Number of nodes in the octree.");
  for (size_t i = 0; i < kGroups.size(); ++i) {
    const Group& group = kGroups[i];
    const auto value = [i](uint64_t measure::SharedLevel::*of) {
      return [=](const SharedRow& row) {
        return row.shared[i] != nullptr ? std::optional(row.shared[i]->*of) : std::nullopt;
      };
    };
    table
        .column(fmt::format("{}/nodes", group.name), "nodes", rows, value(&measure::SharedLevel::nodes),
                both({group.title, Look::count()}), fmt::format("Number of nodes, where {}.", group.about))
        .column(fmt::format("{}/encoded_bytes", group.name), "bytes", rows,
                value(&measure::SharedLevel::encoded_bytes), kMibHeadings,
                fmt::format("Their size with pointers of 16 to 48 bits, where {}.", group.about));
  }
  table
      .column("moved/nodes", "nodes", rows, &SharedRow::moved, both({"and up to moves", Look::count()}),
              "Number of nodes, where nodes that are equal after turns, mirrors and moves are one.")
      .column("moved/stored", "nodes", rows, &SharedRow::moved_stored, both({"stored", Look::count()}),
              "Number of those that are stored, because they lie below stored nodes.");
  return table;
}

// "412,345 voxels, 0.91 %": what the form `lossy` changes.
std::string lossy_text(const measure::CompressionStats& stats) {
  const uint64_t changed = *stats.lossy_changed_voxels;
  const double share =
      stats.voxels == 0 ? 0 : 100 * static_cast<double>(changed) / static_cast<double>(stats.voxels);
  return fmt::format("{}, {:.2f} %", format_count(changed, "voxel"), share);
}

}  // namespace

void set_compression(ResultGroup& results, const SceneStats& stats) {
  ResultGroup& compression = results.group("compression");
  compression.put(listed_as("GEOMETRY", "forms"), forms_of(*stats.compression), TableShape::ByName);
  if (!stats.compression->materials.empty())
    compression.put(listed_as("STORAGE", "materials"), materials_of(*stats.compression), TableShape::ByName);
  if (stats.compression->lossy_changed_voxels)
    compression.set("lossy_changed_voxels", *stats.compression->lossy_changed_voxels, "voxels",
                    "Number of voxels that the form `lossy` changes.");
  compression.put("levels", shared_table(shared_rows(stats)));
}

std::string compression_text(const SceneStats& stats) {
  std::string text = "\nGeometry in every form\n" + text_table(forms_of(*stats.compression)).text();
  if (stats.compression->lossy_changed_voxels)
    text += fmt::format("  (The form with replaced nodes changes {}.)\n", lossy_text(*stats.compression));
  if (!stats.compression->materials.empty())
    text +=
        (stats.scene.colors ? "\nColors, apart from the nodes\n" : "\nMaterials, in the leaves and apart\n") +
        text_table(materials_of(*stats.compression)).text();
  return text + "\nNodes of each level, and their size with short pointers\n" +
         text_table(shared_table(shared_rows(stats))).text();
}

namespace {

// Bars of the bytes in a table of forms.
BarChart bars_of(const ResultTable& forms, std::string title) {
  constexpr double kMiB = 1024 * 1024;
  std::vector<double> sizes = forms["bytes"].numbers();
  for (double& size : sizes) size /= kMiB;
  return {.title = std::move(title),
          .description = "A bar for each form, in MiB",
          .unit = "MiB (logarithmic)",
          .scale = ChartScale::Log,
          .rows = shown_texts(forms["form"], Look()),
          .series = {{"size", std::move(sizes)}},
          .notes = shown_texts(forms["bytes"], Look::bytes())};
}

}  // namespace

void add_compression(HtmlPage& page, const SceneStats& stats) {
  const ResultTable forms = forms_of(*stats.compression);
  page.section("Compression")
      .figure("The geometry in every form",
              "What the filled voxels take, without materials. Entropy is a bound for codes that look at one "
              "mask or pointer at a time." +
                  (stats.compression->lossy_changed_voxels
                       ? " The form with replaced nodes changes " + lossy_text(*stats.compression) + "."
                       : std::string()),
              draw(bars_of(forms, "Size of the geometry in every form")), page_table(forms));
  if (!stats.compression->materials.empty()) {
    const ResultTable materials = materials_of(*stats.compression);
    page.figure("The materials, in the leaves and apart",
                "What the materials of the filled voxels take besides the geometry.",
                draw(bars_of(materials, "Size of the materials in every form")), page_table(materials));
  }
  if (!std::ranges::all_of(stats.compression->shared, &std::optional<measure::SharedDag>::has_value)) return;
  const ResultTable levels = shared_table(shared_rows(stats));
  BarChart nodes = {
      .title = "Nodes of each level",
      .description = "For each level its nodes: unique, up to mirrors, and up to turns and mirrors",
      .unit = "nodes (logarithmic)",
      .scale = ChartScale::Log,
      .rows = shown_texts(levels["side"], Look()),
      .series = {{"unique nodes", levels["plain/nodes"].numbers()},
                 {"up to mirrors", levels["mirrored/nodes"].numbers()},
                 {"up to turns and mirrors", levels["symmetric/nodes"].numbers()}}};
  page.figure("What symmetries save", "By the side of a node's cube; 4 are the leaves.", draw(nodes),
              page_table(levels));
}

}  // namespace vox
