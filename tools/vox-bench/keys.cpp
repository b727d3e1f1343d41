// The command vox-bench keys.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "formats/images/image.h"
#include "formats/images/png_file.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/units.h"
#include "libvox/measure/ages_picture.h"
#include "tools/common/tool.h"
#include "tools/vox-bench/commands.h"
#include "tools/vox-bench/keys_options.h"
#include "tools/vox-bench/keys_report.h"
#include "tools/vox-bench/report.h"

namespace vox {
namespace {

// Writes a picture, if one is asked for; `why_not` is why there may be none.
void write_picture(const KeysCommand& command, const std::optional<std::filesystem::path>& path,
                   const scene::Image& image, const char* why_not) {
  if (!path) return;
  if (image.pixels.empty()) throw Error(why_not).at(path->string());
  write_png(image, {{"Software", generator_text()}, {"Command", command.command}}, *path);
}

scene::Image all_ages(const measure::KeysBenchResult& result) {
  std::vector<const scene::Image*> images;
  for (const measure::AgesPicture& picture : result.age_pictures) images.push_back(&picture.image);
  return measure::side_by_side(images);
}

// The measurements are written before this: they show which table is wrong.
void throw_if_wrong(const measure::KeysBenchResult& result) {
  for (const measure::KeysBenchRow& row : result.rows)
    if (row.wrong > 0)
      throw Error(
          fmt::format("{}, {} at a load factor of {}: {}", row.table, row.set, row.load_factor, row.error));
}

}  // namespace

void run_keys(const CommandLine& arguments) {
  KeysCommand command = read_keys_command(arguments);
  check_targets(command.files);
  for (const auto& picture : {command.rebuilt, command.ages})
    if (picture) check_writable(*picture, OutputKind::Picture, command.files.overwrite);
  if (command.picture) command.bench.picture = read_image(*command.picture);
  const std::unique_ptr<Engine> engine = make_engine(command.engine);
  const measure::KeysBenchSizes sizes = measure::sizes_of(command.bench, engine->device());
  std::vector<std::string> keys;
  for (const uint64_t count : sizes.keys) keys.push_back(format_count(count));
  log_info("{} keys, {} searched, on {}", fmt::join(keys, "; "), format_count(sizes.searches),
           engine->device_text());
  const KeysBenchRun run = {run_on(*engine, command.command), measure::bench_keys(*engine, command.bench)};
  report(command, run, *engine);
  write_picture(command, command.rebuilt, run.result.rebuilt, "no table could hold the picture");
  write_picture(command, command.ages, all_ages(run.result), "no table that was measured has maximum ages");
  throw_if_wrong(run.result);
}

}  // namespace vox
