// Runs a script's commands on a session: batches, undo and redo, snapshots, collecting garbage.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "libvox/edit/edit_session.h"
#include "libvox/edit/script.h"

namespace vox::edit {

// One of the script's files in the session.
struct EditorScene {
  uint32_t number = 0;  // EditSession::add_scene()
  uint32_t resolution = 0;
};

struct EditorOptions {
  uint32_t batch = 1;   // edits in one pass at most
  bool measure = true;  // count after each pass the voxels that it changed and the store's bytes
};

// What one pass did: one edit, or several that are independent of each other.
struct PassRecord {
  uint32_t line = 0;   // of the first edit
  uint32_t frame = 0;  // of the first edit, in a recording
  std::string tool;    // "sphere add", "copy", "several"
  uint32_t edits = 0;
  EditWork work;
  uint64_t changed_voxels = 0;  // 0 where not measured, as are the bytes of the store
  StoreSize store;              // after the pass
  double seconds = 0;           // wall time, without measuring
};

struct CollectRecord {
  uint32_t line = 0;  // of the command at which it ended
  dag::CollectWork work;
};

class Editor {
 public:
  struct Events {
    std::function<void(const PassRecord&)> pass = [](const PassRecord&) {};
    std::function<void(const CollectRecord&)> collected = [](const CollectRecord&) {};
    std::function<void(const Save&, const Command&)> save = [](const Save&, const Command&) {};
    // Called after each pass with its last command, and after each other command: the scene is in a state
    // that may be saved.
    std::function<void(const Command&)> done = [](const Command&) {};
  };

  // `scenes` are the script's files, in its order. Session and script outlive the editor.
  Editor(EditSession& session, const Script& script, std::vector<EditorScene> scenes,
         const EditorOptions& options, Events events);

  // Throws Error with the line of the command that failed; the scene is then as it was before the edit that
  // could not be done.
  void run();

  // Freezes the scene as it is.
  dag::FrozenDag freeze();

 private:
  // What is undone at once.
  struct Step {
    SceneState before, after;
    std::vector<Edit> edits;  // empty where another state was restored
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
  void run_pass(std::span<const Command> commands);
  EditWork apply(std::span<const Edit> edits);
  EditWork apply_or_collect(std::span<const Edit> edits);
  void split_last(uint64_t count);
  void push(Step step);
  void collect_if_due();
  void collect();
  void note_collected(const dag::CollectWork& work);
  std::vector<SceneState> kept_states() const;

  EditSession& session_;
  const Script& script_;
  std::vector<EditorScene> scenes_;
  EditorOptions options_;
  Events events_;
  uint32_t line_ = 0;                     // the line that is being run
  std::vector<Command> batch_;            // edits that wait for others to join them
  std::vector<VoxelBox> written_, read_;  // what the batch writes and reads
  std::deque<Step> undo_, redo_;
  uint64_t undo_depth_;  // edits that the script takes back at most, one after the other
  std::map<std::string, SceneState> snapshots_;
  CollectTrigger trigger_;
  double budget_seconds_ = 0;  // of a step of a collection; 0: it runs at once
  bool collecting_ = false;
  uint64_t edits_since_collection_ = 0;
  uint64_t items_after_collection_;
};

// What a report calls an edit: "sphere add", "copy", "fill".
std::string tool_name(const Edit& edit);
std::string tool_name(std::span<const Edit> edits);  // "several" where they differ

// The number of the script's file that an edit uses, from 1; kThisScene where it uses none.
uint32_t scene_of(const Edit& edit);

// The edit as the session takes it: with the session's number of its scene instead of the file's in the
// script, and with the whole of that scene as source where no source is named.
Edit with_scene(Edit edit, const std::vector<EditorScene>& scenes);

}  // namespace vox::edit
