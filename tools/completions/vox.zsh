#compdef vox-bench vox-convert vox-edit vox-render vox-scene vox-stats
# Completions of zsh for the tools of vox: _arguments reads the options from `TOOL --help all`.
if [[ ${words[1]:t} == vox-bench ]]; then
  if (( CURRENT == 2 )); then
    compadd -- ${(f)"$($words[1] --help | sed -n 's/^  \([a-z]*\)  .*/\1/p')"}
    return
  fi
  words[1]+=" $words[2]"
fi
words[1]+=" --help all"
_arguments '*:file:_files' --
