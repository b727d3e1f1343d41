// Runs a script's commands on a session: batches, undo and redo, snapshots, collecting garbage.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "libvox/edit/edit_session.h"
#include "libvox/edit/script.h"

namespace vox {

struct EditorOptions {
  uint32_t batch = 1;         // edits in one pass at most
  bool count_changes = true;  // voxels that each pass changes
};

// What one pass did: one edit, or several that are independent of each other.
struct PassRecord {
  uint32_t line = 0;   // of the first edit
  uint32_t frame = 0;  // of a recording
  std::string tool;    // "sphere add", "copy"
  uint32_t edits = 0;
  EditWork work;
  uint64_t changed_voxels = 0;
  StoreSize store;     // after it
  double seconds = 0;  // wall time, without counting
};

struct CollectRecord {
  uint32_t line = 0;  // of the command before it
  CollectWork work;
};

class Editor {
 public:
  struct Events {
    std::function<void(const PassRecord&)> pass;
    std::function<void(const CollectRecord&)> collected;
    std::function<void(const Save&, const Command&)> save;
    std::function<void(const Command&)>
        done;  // after each command; the scene is in a state that may be saved
  };

  // `scenes` are the numbers of the script's files in the session. All outlive the editor.
  Editor(EditSession& session, const Script& script, std::vector<uint32_t> scenes,
         const EditorOptions& options, Events events);

  // Throws Error with the line of the command that failed; the scene is then as it was before that command.
  void run();

 private:
  // What can be undone at once.
  struct Step {
    SceneState before, after;
    std::vector<Edit> edits;  // none: another state was restored
    uint64_t size() const { return edits.empty() ? 1 : edits.size(); }
  };

  void run_command(const Command& command);
  void perform(const Command& command, const Undo& undo);
  void perform(const Command& command, const Redo& redo);
  void perform(const Command& command, const Snapshot& snapshot);
  void perform(const Command& command, const Restore& restore);
  void perform(const Command& command, const Collect& collect);
  void perform(const Command& command, const CollectPolicy& policy);
  void perform(const Command& command, const Save& save);
  void perform(const Command&, const Edit&) {}  // run_command() has put it into the batch

  bool joins_batch(const Edit& edit) const;
  void flush();
  EditWork apply_or_collect(const std::vector<Edit>& edits, uint32_t line);
  void split_last(uint64_t count);
  void push(Step step);
  void collect_if_due(uint32_t line);
  void collect(uint32_t line);
  void note_collected(uint32_t line, const CollectWork& work);
  std::vector<SceneState> kept_states() const;

  EditSession& session_;
  const Script& script_;
  std::vector<uint32_t> scenes_;
  EditorOptions options_;
  Events events_;
  std::optional<Command> first_;  // of the batch
  std::vector<Edit> batch_;
  std::vector<VoxelBox> written_, read_;  // by the batch
  std::vector<Step> undo_, redo_;
  uint64_t undo_depth_;  // steps that the script goes back at most
  std::map<std::string, SceneState> snapshots_;
  CollectTrigger trigger_;
  double budget_seconds_ = 0;  // of a step of a collection; 0: all of it at once
  bool collecting_ = false;
  uint64_t edits_since_collection_ = 0;
  uint64_t items_after_collection_;
};

// "sphere add", "copy", "fill"
std::string tool_name(const Edit& edit);

}  // namespace vox
