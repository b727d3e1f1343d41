#include "tools/vox-edit/described_options.h"

#include "formats/script/edit_script.h"
#include "libvox/scene/palette.h"
#include "tools/common/device_options.h"
#include "tools/common/tool.h"

namespace vox {
namespace {

constexpr OptionRule kEditRule = {kEdits, "nothing is edited"},
                     kRecordingRule = {kRecording, "it is for recordings, which end in .csv"};

constexpr const char* kRecordings =
    R"(RECORDINGS, with the extension .csv, are the files that HashDAG (Careil et al. 2020) writes: EditSphere,
EditCube, EditCopy, EditFill, EditPaint, Undo, Redo and EndFrame. Rows of the camera are skipped. Their places are
voxels of the resolution of the recording; --swizzle, --scale and --shift move them to this scene. They name no
material; --material does.
)";

OptionTopic edits_topic() {
  return {
      .name = "edits",
      .title = "edits",
      .options = {
          {.name = "script",
           .letter = "s",
           .argument = "FILE",
           .help = "The edits: an edit script (--help script), or a recording of HashDAG with the extension "
                   ".csv."},
          {.name = "output",
           .letter = "o",
           .argument = "FILE",
           .rules = {kEditRule},
           .help = "Write the edited scene. The file may be SCENE.h5 itself, which is replaced when the run "
                   "has succeeded."},
          {.name = "log",
           .letter = "l",
           .argument = "FILE",
           .rules = {kEditRule},
           .help = "Write what each pass did and how long it took: .h5, or .csv with one row for each pass. "
                   "The times do "
                   "not include counting the changes."},
          {.name = "html",
           .argument = "FILE",
           .rules = {kEditRule},
           .help = "Write a page with charts of the passes: one file, for a browser or for paper."},
          {.name = "check",
           .help = "Read the script and the scenes that it names, show all errors and what lies outside of "
                   "the grid, and "
                   "edit nothing."},
          {.name = "drop-bricks",
           .rules = {kEditRule},
           .help = "Leave out the bricks that SCENE.h5 has beside its SVDAG. Without this option, the edited "
                   "scene has "
                   "such bricks too, but its checkpoints have not."},
          {.name = "batch",
           .argument = "N",
           .preset = "1",
           .range = OptionRange{1, 1024},
           .rules = {kEditRule},
           .help =
               "Do up to this number of edits in one pass if none changes what another one reads or writes."},
          {.name = "checkpoint",
           .argument = "N",
           .usual = "none",
           .range = OptionRange{1, UINT32_MAX},
           .rules = {kEditRule},
           .help = "Also write -o after every N edits, so that an interrupted run loses no more."},
          table_option("Hash table that holds the scene.", {kEditRule})}};
}

OptionTopic recordings_topic() {
  return {.name = "recordings",
          .title = "recordings",
          .text = kRecordings,
          .options = {{.name = "swizzle",
                       .argument = "AXES",
                       .usual = "xyz",
                       .rules = {kRecordingRule},
                       .help = "Order of the recorded axes that become x, y and z, such as xzy."},
                      {.name = "scale",
                       .argument = "S",
                       .usual = "1",
                       .rules = {kRecordingRule},
                       .help = "Then multiply places and radii by this number, such as 4 or 1/2."},
                      {.name = "shift",
                       .argument = "X,Y,Z",
                       .usual = "0,0,0",
                       .unit = "voxels",
                       .rules = {kRecordingRule},
                       .help = "Then add this vector to places."},
                      {.name = "material",
                       .argument = "M",
                       .preset = "0",
                       .range = OptionRange{0, scene::kPaletteSize - 1},
                       .rules = {kRecordingRule, {kMaterials, "it has no materials"}},
                       .help = "Fill and paint with this material."}}};
}

}  // namespace

ToolDescription edit_description() {
  return {
      .program = "vox-edit",
      .usage = "SCENE.h5 --script FILE [-o EDITED.h5] [options]",
      .about =
          "Applies the edits of a script to a scene file. The result is the same on a GPU and on the "
          "processor. "
          "Without -o, nothing is written but the log. --help script explains the language of edit scripts; "
          "vox-convert SCENE.h5 --info shows the size of a scene's grid, which way is up, and its "
          "materials.\n",
      .examples =
          {"vox-edit house.h5 --script changes.txt -o changed.h5",
           "vox-edit house.h5 --script changes.txt --check         shows errors; edits nothing",
           "vox-edit house.h5 --script changes.txt --html edits.html",
           "vox-edit house.h5 --script changes.txt --log edits.h5  what each edit did and took",
           "vox-edit house.h5 --script changes.txt --batch 100     edits that lie apart in one pass",
           "vox-edit house.h5 --script changes.txt -o changed.h5 --checkpoint 500",
           "vox-edit city.h5 --script recording.csv --scale 1/2    a recording of the HashDAG project"},
      .basics = {"script", "output", "check", "log", "html", "batch", "checkpoint", "drop-bricks", "device",
                 "memory-limit"},
      .topics = {edits_topic(),
                 {.name = "script", .title = "edit scripts", .text = edit_script_help()},
                 recordings_topic(),
                 device_topic({kEditRule}),
                 general_topic()},
      .operands = {
          {.name = "scene", .argument = "SCENE.h5", .help = "A scene file that vox-convert wrote."}}};
}

}  // namespace vox
