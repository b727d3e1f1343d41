#include "tools/vox-edit/given.h"

#include "tools/common/option_table.h"

namespace vox {
namespace {

enum : uint32_t {
  kEdits = 1,  // the script is run, not only checked
  kRecording = 2,
  kMaterials = 4  // the scene has materials
};

constexpr const char* kOfEdits = "nothing is edited";
constexpr const char* kOfRecordings = "it is for recordings, which end in .csv";

constexpr OptionRow kTable[] = {
    {"output", kEdits, kOfEdits},
    {"log", kEdits, kOfEdits},
    {"html", kEdits, kOfEdits},
    {"batch", kEdits, kOfEdits},
    {"checkpoint", kEdits, kOfEdits},
    {"drop-bricks", kEdits, kOfEdits},
    {"table", kEdits, kOfEdits},
    {"profile", kEdits, kOfEdits},
    {"swizzle", kRecording, kOfRecordings},
    {"scale", kRecording, kOfRecordings},
    {"shift", kRecording, kOfRecordings},
    {"material", kRecording, kOfRecordings},
    {"material", kMaterials, "it has no materials"},
};

}  // namespace

void check_given(const EditOptions& options, const dag::VoxelScene& scene) {
  RunTraits run;
  if (!options.check) run.bits |= kEdits;
  if (is_replay_path(options.script)) run.bits |= kRecording;
  if (scene.dag.materials) run.bits |= kMaterials;
  run.what = options.check ? "--check" : (run.bits & kRecording) ? "this scene" : "an edit script";
  check_options(options.given, kTable, run);
}

}  // namespace vox
