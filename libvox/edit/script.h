// An edit script as commands: what formats/script/edit_script.h and formats/script/replay_csv.h read, what an
// editor runs.
//
// Repetitions stay as they are written; a ScriptCursor gives the commands one by one, in the order in which
// they run, so that a script of ten million edits takes the memory of its lines.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "libvox/edit/edit.h"

namespace vox::edit {

struct Undo {
  uint32_t count = 1;
  friend bool operator==(const Undo&, const Undo&) = default;
};
struct Redo {
  uint32_t count = 1;
  friend bool operator==(const Redo&, const Redo&) = default;
};
// The scene as it is now gets this name, which another may have had.
struct Snapshot {
  std::string name;
  friend bool operator==(const Snapshot&, const Snapshot&) = default;
};
// A snapshot of this name stands before it in the script.
struct Restore {
  std::string name;
  friend bool operator==(const Restore&, const Restore&) = default;
};

struct Collect {  // garbage, now and at once
  friend bool operator==(const Collect&, const Collect&) = default;
};

enum class CollectWhen : uint8_t { Never, Every, Threshold };

struct CollectTrigger {
  CollectWhen when = CollectWhen::Never;
  uint32_t every = 0;    // edits
  double threshold = 0;  // share of the store that is garbage, 0 to 1
  friend bool operator==(const CollectTrigger&, const CollectTrigger&) = default;
};

// From here on. What is absent stays as it was.
struct CollectPolicy {
  std::optional<CollectTrigger> trigger;
  std::optional<double> budget_ms;  // of one step of a collection after an edit; 0: all of it at once
  friend bool operator==(const CollectPolicy&, const CollectPolicy&) = default;
};

struct Save {
  std::filesystem::path path;
  friend bool operator==(const Save&, const Save&) = default;
};

using Action = std::variant<Edit, Undo, Redo, Snapshot, Restore, Collect, CollectPolicy, Save>;

struct Command {
  uint32_t line = 0;       // from 1
  uint32_t frame = 0;      // of a recording, from 1; 0 in a script
  uint64_t text = 0;       // where its source begins in Script::text
  uint32_t text_size = 0;  // bytes
  Action action;
};

// Commands [first, end) of the script, `count` times. The n-th time, from 0, places of edits move by n * step
// and by a random offset of -jitter to +jitter on each axis; those of repetitions around it add up. What is
// copied stays, where it is copied to moves. Places of whole voxels move by the sum, rounded, halves away
// from zero.
struct Repeat {
  uint32_t line = 0;
  uint32_t first = 0, end = 0;
  uint32_t count = 1;
  EditPlace step = {0, 0, 0};
  EditPlace jitter = {0, 0, 0};  // none is negative
  uint64_t seed = 0;
};

struct Script {
  std::filesystem::path path;                // of the script, for messages
  std::string text;                          // all of it
  std::vector<std::filesystem::path> files;  // an edit's scene is 1 + the index in here
  std::deque<Command> commands;
  std::deque<Repeat> repeats;  // by `first`, outer ones before inner ones; none is empty
  uint64_t total = 0;          // commands that a cursor gives
};

// Its line, without the comment.
std::string_view source_text(const Script& script, const Command& command);

// "trees.txt:12", for Error::at().
std::string location(const Script& script, const Command& command);
// "trees.txt:12:3", where a command begins.
std::string place_of(const Script& script, const Command& command);

class ScriptCursor {
 public:
  explicit ScriptCursor(const Script& script) : script_(script) {}  // which outlives it

  // With all repetitions applied; nothing at the end.
  std::optional<Command> next();

 private:
  struct Running {
    uint32_t repeat;
    uint32_t round;    // from 0
    uint64_t key;      // of this round and of those around it: what the jitter depends on
    EditPlace offset;  // of this and of all around it
  };

  void end_rounds();
  void begin_repeats();
  Running round_of(uint32_t repeat, uint32_t round) const;

  const Script& script_;
  uint32_t at_ = 0;           // the command that comes next
  uint32_t next_repeat_ = 0;  // the first one that has not begun
  std::vector<Running> running_;
};

// The edit with its places moved.
Edit moved(Edit edit, EditPlace offset);

}  // namespace vox::edit
