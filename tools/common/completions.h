// Makes completions, which shells offer when Tab is pressed behind a program's name: its options, the words
// that they take, files.
//
// A value that --help calls on|off is one of these words, FILE and SCENE.h5 are files, DIR is a folder. A
// program whose argument is called `command` has completions of its own for each command, in files beside its
// own: vox-bench-hash beside vox-bench for bash, _vox-bench-hash beside _vox-bench for zsh.
#pragma once

#include <string>

#include "tools/common/help_parts.h"

namespace vox {

std::string bash_completions(const HelpParts& parts);

std::string zsh_completions(const HelpParts& parts);

}  // namespace vox
