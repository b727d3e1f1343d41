// The parts of all pages for flying through a scene: the facts about the scene, and the text around its words.
#pragma once

#include <cstdint>
#include <string>

#include "formats/pages/scene_page.h"
#include "libvox/base/json.h"
#include "libvox/dag/voxel_scene.h"

namespace vox {

// The level of a scene that a page shows.
struct ShownLevel {
  uint32_t whole = 0;     // resolution of the scene
  uint32_t halvings = 0;  // how often the resolution was halved
};

// Adds the facts that the page's program gets about the scene; viewer/scene.js lists their types.
void set_scene_facts(Json& facts, const dag::VoxelScene& scene, const ShownLevel& shown,
                     const ScenePageOptions& options);

// The files that a page may load.
enum class PageLoads { Nothing, ItsFolder };

// Returns the page up to where its words may stand, and the rest with its program.
std::string scene_page_begin(const std::string& title, const std::string& facts, PageLoads loads);
std::string scene_page_end(const char* script);

}  // namespace vox
