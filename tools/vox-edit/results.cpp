// The results of vox-edit, for JSON and reports.

#include "formats/results/results.h"

#include "tools/common/reports.h"
#include "tools/vox-edit/edit_log.h"

namespace vox {

std::vector<NamedSeconds> edit_seconds(double load, double edit, double write) {
  return {{"load", load, "Time for reading, and for bringing the scene to the device."},
          {"edit", edit, "Time of the edits."},
          {"write", write, "Time for writing."}};
}

ResultGroup results_of(const EditResults& run) {
  const EditOptions& options = run.options;
  ResultGroup results;
  set_origin(results, origin_of(options.command));
  results.set(in_report("tool"), "vox-edit")
      .about("Name of the program.")
      .set(in_report("device"), run.device)
      .about("Name of the device.")
      .set(in_report("table"), options.engine.table)
      .about("Name of the hash table, as for `--table`.")
      .set("file", options.scene.string())
      .about("The scene file that was read.")
      .set("script", options.script.string())
      .about("The script that was read.")
      .set(in_report("resolution"), run.scene.dag.resolution)
      .about("Number of voxels along the longest side.")
      .set(in_report("batch"), options.batch)
      .about("Number of edits that may go into one pass.");
  set_scene(results, run.scene);
  if (run.bricks != nullptr) set_bricks(results.group(in_json(".")), *run.bricks);
  run.log.set(results);
  results.group(in_json("store"))
      .set("items", run.store.items, "items")
      .about("Number of nodes and leaves in the hash tables at the end, garbage included.")
      .set("item_bytes", run.store.item_bytes, "bytes")
      .about("Size of these.")
      .set("allocated_bytes", run.store.allocated_bytes, "bytes")
      .about("Size of the tables with all that belongs to them.");
  set_seconds(results, run.seconds);
  set_peak_memory(results);
  set_device(results, run.device);
  set_profile(results, run.kernels);
  return results;
}

ResultGroup check_results(const EditOptions& options, uint64_t commands, const edit::ScriptFindings& found) {
  ResultGroup results;
  results.set("script", options.script.string())
      .about("The script that was read.")
      .set("commands", commands)
      .about("Number of its commands, if nothing is wrong.")
      .set("edits", found.edits)
      .about("Number of edits among them.")
      .set("outside", found.outside, "edits")
      .about("Number of edits that change nothing inside the grid.");
  ResultGroup& counts = results.group("tools");
  for (const auto& [tool, count] : found.tools)
    counts.set(listed_as("TOOL", tool), count, "edits").about("Number of edits of the tool.");
  return results;
}

ResultGroup check_results(const EditOptions& options, uint64_t errors,
                          const std::vector<std::string>& messages) {
  ResultGroup results;
  results.set("script", options.script.string())
      .about("The script that was read.")
      .set("errors", errors)
      .about("Number of errors, if something is wrong.");
  results.table("messages").column("error", "", messages).about("One of the first 50 errors.");
  return results;
}

}  // namespace vox
