# Completions of bash for the tools of vox: _longopt of bash-completion reads the options from `TOOL --help all`.
_vox() {
  local tool=$1
  if [[ ${tool##*/} == vox-bench ]]; then
    if ((COMP_CWORD == 1)); then
      mapfile -t COMPREPLY < <(compgen -W "$("$tool" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p')" -- "$2")
      return
    fi
    tool+=" ${COMP_WORDS[1]}"
  fi
  _longopt "$tool --help all" "${@:2}"
}
complete -F _vox vox-bench vox-convert vox-edit vox-render vox-scene vox-stats
