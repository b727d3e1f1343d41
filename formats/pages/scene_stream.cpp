#include "formats/pages/scene_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>

#include "formats/io/compression.h"
#include "formats/io/output_folder.h"
#include "formats/io/read_file.h"
#include "formats/pages/html_page.h"
#include "formats/pages/scene_facts.h"
#include "libvox/base/error.h"

namespace vox {
namespace {

namespace fs = std::filesystem;

constexpr int kChunkDeflate = 2;  // equal words give equal bytes, which the fastest level does not promise
constexpr std::string_view kPageName = "index.html", kFactsName = "scene.json", kChunkFolder = "chunks",
                           kChunkExtension = ".voxc";
constexpr std::string_view kStreamFormat = "vox scene stream 1";

fs::path chunk_path(const std::string& name) {
  return fs::path(kChunkFolder) / name.substr(0, 2) / (name + std::string(kChunkExtension));
}

bool is_chunk_path(const fs::path& relative) {
  const std::string name = relative.stem().string();
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  return name.size() == 32 && std::ranges::all_of(name, is_digit) && relative == chunk_path(name);
}

// A file that cannot be read is not known to be vox's. Its other pages hold no such facts as scene.json and a page of
// chunks do.
bool is_stream_file(const fs::path& folder, const fs::path& relative) {
  if (is_chunk_path(relative)) return true;
  if (relative != kPageName && relative != kFactsName) return false;
  try {
    const MappedFile file(folder / relative);
    const bool is_page = relative == kPageName;
    return (!is_page || is_page_of_vox(file.text())) &&
           file.text().substr(0, is_page ? file.text().npos : 100).find(kStreamFormat) != file.text().npos;
  } catch (const Error&) {
    return false;
  }
}

std::string facts_text(const dag::VoxelScene& scene, const ChunkTotals& totals,
                       const std::optional<ColorTotals>& colors, const SceneStreamOptions& options) {
  Json facts;
  facts.set("format", kStreamFormat);
  facts.set("top", dag::to_string(totals.top))
      .set("chunks", totals.chunks)
      .set("chunk_words", totals.words)
      .set("references", totals.references)
      .set("page_memory", options.page_memory);
  if (colors) {
    Json& object = facts.object("colors");
    object.set("index", dag::to_string(colors->index)).set("words", colors->words);
    Json& levels = object.array("levels");
    for (const uint64_t chunks : colors->levels) levels.append().set("chunks", chunks);
  }
  set_scene_facts(facts, scene, {scene.dag.resolution, 0}, options.page);
  return facts.text() + "\n";
}

}  // namespace

fs::path folder_of_chunks(const fs::path& path) {
  fs::path folder = path.parent_path();
  if (path.filename() != kFactsName || folder.empty() || folder == "." || folder == "..")
    throw UsageError(fmt::format(
        "-o is '{}', expected scene.json (chunks) or tileset.json (3D Tiles) in a folder of its own, such as "
        "chunks/{}, or a name that ends in .voxel.json",
        path.string(), kFactsName));
  return folder;
}

void check_stream_folder(const fs::path& folder, Overwrite overwrite) {
  const OutputFolder output(folder, is_stream_file, overwrite);
}

SceneStream write_scene_stream(const dag::VoxelScene& scene, const fs::path& folder,
                               const SceneStreamOptions& options) {
  OutputFolder output(folder, is_stream_file, options.overwrite);
  const auto write_chunk = [&](const dag::Digest& name, std::span<const uint32_t> words) {
    Deflater deflater(kChunkDeflate);
    const Bytes bytes =
        deflater.deflated({reinterpret_cast<const uint8_t*>(words.data()), words.size_bytes()});
    output.write(chunk_path(dag::to_string(name)),
                 {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  };
  const bool has_colors = options.index == StreamPage::Written && scene.colors && !scene.dag.empty();
  const ChunkTotals totals = cut_into_chunks(scene, options.limits, has_colors, write_chunk);
  std::optional<ColorTotals> colors;
  if (has_colors) colors = cut_into_color_chunks(*scene.colors, write_chunk);
  const uint64_t chunks = output.files();
  const std::string facts = facts_text(scene, totals, colors, options);
  output.write(kFactsName, facts);
  if (options.index == StreamPage::Written)
    output.write(kPageName, scene_page_begin(options.page.title, facts, PageLoads::ItsFolder) +
                                scene_page_end(kStreamScript));
  output.commit();
  return {output.files(), chunks, output.bytes()};
}

}  // namespace vox
