#include "tools/vox-edit/options.h"

#include <fmt/format.h>

#include "formats/file_types.h"
#include "libvox/base/error.h"
#include "tools/common/device_options.h"
#include "tools/common/targets.h"

namespace vox {
namespace {

ReplayOptions replay_options(const CommandLine& arguments) {
  ReplayOptions replay;
  if (const auto axes = arguments.given("swizzle")) replay.swizzle = parse_replay_swizzle(*axes);
  if (const auto scale = arguments.given("scale")) replay.scale = parse_replay_scale(*scale);
  if (const auto shift = arguments.given("shift")) replay.shift = parse_replay_shift(*shift);
  replay.material = static_cast<uint8_t>(arguments.whole("material"));
  return replay;
}

}  // namespace

EditOptions read_edit_options(const CommandLine& arguments) {
  EditOptions options;
  options.json = arguments.json();
  options.overwrite = arguments.overwrite();
  options.given = arguments.given_options();
  options.command = arguments.command();
  if (!arguments.has("scene")) throw UsageError("no scene file named");
  if (!arguments.has("script")) throw UsageError("no script named: --script FILE");
  options.scene = arguments.text("scene");
  options.script = arguments.text("script");
  options.output = arguments.given("output");
  if (options.output && !has_role(*options.output, FileRole::Scene))
    throw UsageError(
        fmt::format("-o is '{}', expected a scene file, ending in .h5", options.output->string()));
  options.log = arguments.given("log");
  if (options.log && !has_role(*options.log, FileRole::Report) && !has_role(*options.log, FileRole::Rows))
    throw UsageError(
        fmt::format("--log is '{}', expected a file that ends in .h5 or .csv", options.log->string()));
  options.html = arguments.given("html");
  options.check = arguments.has("check");
  options.drop_bricks = arguments.has("drop-bricks");
  if (options.drop_bricks && !options.output)
    throw UsageError("--drop-bricks is for the scene that -o writes, which is not given");
  options.batch = arguments.whole("batch");
  if (arguments.has("checkpoint")) options.checkpoint = arguments.whole("checkpoint");
  if (options.checkpoint > 0 && !options.output)
    throw UsageError("--checkpoint is for the scene that -o writes, which is not given");
  options.replay = replay_options(arguments);
  options.engine = read_device_options(arguments);
  options.engine.table = arguments.text_of_word("table");
  check_input(options.scene);
  check_input(options.script);
  return options;
}

}  // namespace vox
