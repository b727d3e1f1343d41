#include "tools/vox-edit/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "formats/file_types.h"
#include "formats/script/edit_script.h"
#include "libvox/base/error.h"
#include "libvox/base/units.h"
#include "libvox/hash/table_list.h"
#include "tools/common/device_options.h"
#include "tools/common/option_values.h"
#include "tools/common/tool.h"

namespace vox {
namespace {

constexpr const char* kAbout =
    R"(Applies the edits of a script to a scene file, on a GPU or on the processor, with the same result.
Without -o it is a timed rehearsal: nothing is written but the log.

  vox-edit house.h5 --script changes.txt -o changed.h5
  vox-edit house.h5 --script changes.txt --check         what is in it, what is wrong; edits nothing
  vox-edit house.h5 --script changes.txt --log edits.h5  what each edit did and took (or .csv)
  vox-edit house.h5 --script changes.txt --html edits.html
                                                         the same as a page with charts
  vox-edit house.h5 --script changes.txt --batch 100     edits that lie apart in one pass
  vox-edit house.h5 --script changes.txt -o changed.h5 --checkpoint 500
                                                         Ctrl-C or a crash loses 500 edits at most
  vox-edit city.h5 --script recording.csv --scale 1/2    a recording of the HashDAG project

)";

constexpr const char* kRecordings = R"(
RECORDINGS, with the extension .csv, are what HashDAG (Careil et al. 2020) writes: EditSphere,
EditCube, EditCopy, EditFill, EditPaint, Undo, Redo and EndFrame. Rows of the camera are skipped.
Their places are in voxels of the resolution at which they were recorded, which --swizzle, --scale
and --shift bring to this scene; they name no material, --material does.
)";

cxxopts::Options describe() {
  cxxopts::Options options("vox-edit", kAbout + edit_script_help() + kRecordings);
  options.custom_help("SCENE.h5 --script FILE [-o EDITED.h5] [options]").positional_help("").set_width(100);
  auto text = [] { return cxxopts::value<std::string>(); };
  options.add_options("Edits")("scene", "A scene file that vox-convert wrote", text(), "SCENE.h5")(
      "s,script", "The edits, see above; with the extension .csv a recording of HashDAG", text(), "FILE")(
      "o,output", "Write the edited scene; may be SCENE.h5 itself, which is replaced when all has gone well",
      text(), "FILE")("l,log",
                      "Write what each pass did and took: .h5, or .csv with one row per pass. Counting what "
                      "changed is not in the times",
                      text(), "FILE")(
      "html", "Write a page with charts of that: one file, for a browser or for paper", text(), "FILE")(
      "check",
      "Read the script and the scenes that it names, say all that is wrong and what lies outside of the "
      "grid, and "
      "edit nothing")(
      "drop-bricks",
      "Leave out the bricks that SCENE.h5 has beside its SVDAG; else what is written has such bricks "
      "too, of the edited scene, but for checkpoints")(
      "batch", "Up to so many edits in one pass, where none touches what another writes or reads",
      text()->default_value("1"), "N")(
      "checkpoint",
      "Also write -o after every N edits, so that an end before the last one loses no more (default: none)",
      text(), "N")(
      "table", fmt::format("The hash table that holds the scene: {}", fmt::join(hash::table_names(), ", ")),
      text()->default_value(EngineOptions().table), "NAME");
  options.add_options("Recordings")(
      "swizzle", "The recorded axes that become x, y and z, such as xzy (default: xyz)", text(), "AXES")(
      "scale", "What places and radii are then multiplied by, such as 4 or 1/2 (default: 1)", text(), "S")(
      "shift", "What is then added to places, in voxels (default: 0,0,0)", text(), "X,Y,Z")(
      "material", "What they fill and paint with, 0 to 15", text()->default_value("0"), "M");
  add_device_options(options);
  add_common_options(options);
  options.parse_positional({"scene"});
  return options;
}

ReplayOptions replay_options(const cxxopts::ParseResult& parsed) {
  ReplayOptions replay;
  if (parsed.count("swizzle")) replay.swizzle = parse_replay_swizzle(parsed["swizzle"].as<std::string>());
  if (parsed.count("scale")) replay.scale = parse_replay_scale(parsed["scale"].as<std::string>());
  if (parsed.count("shift")) replay.shift = parse_replay_shift(parsed["shift"].as<std::string>());
  const uint64_t material = parse_count(parsed["material"].as<std::string>(), "--material");
  if (material >= scene::kPaletteSize)
    throw UsageError(fmt::format("--material is {}, expected 0 to 15", material));
  replay.material = static_cast<uint8_t>(material);
  return replay;
}

uint32_t count_of(const cxxopts::ParseResult& parsed, const char* option, uint64_t most) {
  const uint64_t count = parse_count(parsed[option].as<std::string>(), fmt::format("--{}", option));
  if (count < 1 || count > most)
    throw UsageError(fmt::format("--{} is {}, expected 1 to {}", option, count, most));
  return static_cast<uint32_t>(count);
}

}  // namespace

EditOptions parse_edit_options(int argc, char** argv) {
  cxxopts::Options description = describe();
  CommonOptions common;
  const cxxopts::ParseResult parsed =
      parse_command_line(description, argc, argv, common, {"Edits", "Recordings", "Device"});
  EditOptions options;
  options.json = common.json;
  options.overwrite = common.overwrite;
  options.given = common.given;
  options.command = command_text(argc, argv);
  if (!parsed.count("scene")) throw UsageError("no scene file named");
  if (!parsed.count("script")) throw UsageError("no script named: --script FILE");
  options.scene = parsed["scene"].as<std::string>();
  options.script = parsed["script"].as<std::string>();
  if (parsed.count("output")) options.output = parsed["output"].as<std::string>();
  if (options.output && !has_role(*options.output, FileRole::Scene))
    throw UsageError(
        fmt::format("-o is '{}', expected a scene file, ending in .h5", options.output->string()));
  if (parsed.count("log")) options.log = parsed["log"].as<std::string>();
  if (options.log && !has_role(*options.log, FileRole::Report) && !has_role(*options.log, FileRole::Rows))
    throw UsageError(
        fmt::format("--log is '{}', expected a file that ends in .h5 or .csv", options.log->string()));
  if (parsed.count("html")) options.html = parsed["html"].as<std::string>();
  options.check = parsed.count("check") > 0;
  options.drop_bricks = parsed.count("drop-bricks") > 0;
  if (options.drop_bricks && !options.output)
    throw UsageError("--drop-bricks is for what -o names, which is not given");
  options.batch = count_of(parsed, "batch", 1024);
  if (parsed.count("checkpoint")) options.checkpoint = count_of(parsed, "checkpoint", UINT32_MAX);
  if (options.checkpoint > 0 && !options.output)
    throw UsageError("--checkpoint writes what -o names, which is not given");
  options.replay = replay_options(parsed);
  options.engine = read_device_options(parsed);
  options.engine.table = parse_name(parsed, "table", hash::table_names());
  return options;
}

}  // namespace vox
