// Writes a scene as a folder for any web server: a page for flying through it, and files of chunks
// (scene_chunks.h) that the page loads when its reader comes near.
//
//   index.html                  the page, if there is one
//   scene.json                  the facts about the scene, which the page also holds
//   chunks/3f/3f8a….voxc        the chunks, deflated; the name is the digest of the words
#pragma once

#include <cstdint>
#include <filesystem>

#include "formats/io/overwrite.h"
#include "formats/pages/scene_chunks.h"
#include "formats/pages/scene_page.h"
#include "libvox/dag/voxel_scene.h"

namespace vox {

// Programs that read the chunks themselves (tools/c/vox_chunks.h) need no page. Only a page has 24-bit colors.
enum class StreamPage { Written, LeftOut };

struct SceneStreamOptions {
  ScenePageOptions page = {};                  // most_bytes and memory_limit have no effect
  uint64_t page_memory = uint64_t{256} << 20;  // the most bytes of chunks that the page keeps
  ChunkLimits limits = {};
  StreamPage index = StreamPage::Written;
  Overwrite overwrite = Overwrite::OwnFiles;
};

struct SceneStream {
  uint64_t files = 0;   // all files
  uint64_t chunks = 0;  // files of chunks
  uint64_t bytes = 0;   // the size of all files
};

// Returns the folder of a scene that is exported as FOLDER/scene.json. Throws UsageError if the path has another name, or
// names no folder of its own.
std::filesystem::path folder_of_chunks(const std::filesystem::path& path);

// Throws Error if nothing can be written to the folder, or if files would be lost that vox did not write. It must be
// called before the work.
void check_stream_folder(const std::filesystem::path& folder, Overwrite overwrite);

// Writes the folder, which appears as a whole when everything is written. The DAG must be one that check_structure()
// accepts; it may be paged.
SceneStream write_scene_stream(const dag::VoxelScene& scene, const std::filesystem::path& folder,
                               const SceneStreamOptions& options);

}  // namespace vox
