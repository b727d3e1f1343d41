#include "tools/vox-edit/targets.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/file_types.h"
#include "libvox/base/error.h"

namespace vox {
namespace {

namespace fs = std::filesystem;

// True if two paths name the same file, which need not exist yet.
bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code ignored;
  const auto place = [&](const fs::path& path) { return fs::weakly_canonical(fs::absolute(path), ignored); };
  return fs::equivalent(a, b, ignored) || place(a) == place(b);
}

std::vector<fs::path> inputs(const EditOptions& options, const edit::Script& script) {
  std::vector<fs::path> files = {options.scene, options.script};
  files.insert(files.end(), script.files.begin(), script.files.end());
  return files;
}

bool is_one_of(const fs::path& file, const std::vector<fs::path>& files) {
  return std::any_of(files.begin(), files.end(),
                     [&](const fs::path& other) { return same_file(file, other); });
}

// Checks the file of --log or --html.
void check_report(const char* option, const fs::path& file, OutputKind kind, const EditOptions& options,
                  const edit::Script& script) {
  if (is_one_of(file, inputs(options, script)))
    throw UsageError(fmt::format("{} is '{}', which is read", option, file.string()));
  if (options.output && same_file(file, *options.output))
    throw UsageError(fmt::format("{} and -o are the same file", option));
  check_writable(file, kind, options.overwrite);
}

void check_output(const EditOptions& options) {
  if (same_file(*options.output, options.script))
    throw UsageError(fmt::format("-o is '{}', the script", options.output->string()));
  if (options.checkpoint > 0 && same_file(*options.output, options.scene))
    throw UsageError(
        "-o is the scene that is read, which --checkpoint would replace before all has gone well; name "
        "another file");
  check_writable(*options.output, OutputKind::Scene, options.overwrite);
}

void check_save(const fs::path& path, const EditOptions& options, const std::vector<fs::path>& inputs) {
  if (!has_role(path, FileRole::Scene))
    throw Error(fmt::format("'{}' is no scene file, expected a name that ends in .h5", path.string()));
  if (is_one_of(path, inputs))
    throw Error(fmt::format("'{}' is read by this run, so that it cannot be saved to", path.string()))
        .hint("-o may replace the scene when all has gone well");
  if (options.log && same_file(path, *options.log))
    throw Error(fmt::format("'{}' is written as --log", path.string()));
  if (options.html && same_file(path, *options.html))
    throw Error(fmt::format("'{}' is written as --html", path.string()));
  if (options.output) check_writable(path, OutputKind::Scene, options.overwrite);
}

}  // namespace

void check_targets(const EditOptions& options, const edit::Script& script,
                   const edit::OnScriptError& on_error) {
  if (options.log)
    check_report("--log", *options.log,
                 has_role(*options.log, FileRole::Rows) ? OutputKind::Rows : OutputKind::Report, options,
                 script);
  if (options.html) check_report("--html", *options.html, OutputKind::Page, options, script);
  if (options.log && options.html && same_file(*options.log, *options.html))
    throw UsageError("--log and --html are the same file");
  if (options.output) check_output(options);
  const std::vector<fs::path> read = inputs(options, script);
  for (const edit::Command& command : script.commands)
    if (const auto* save = std::get_if<edit::Save>(&command.action))
      edit::at_command(script, command, on_error, [&] { check_save(save->path, options, read); });
}

}  // namespace vox
