# Finds and copies the shared libraries that programs need, for bundle.sh and wheel.sh, which source this file.

# glibc alone must be the machine's own, because it belongs to its kernel and its loader.
glibc='^(ld-linux.*|lib(c|m|dl|pthread|rt|util|resolv|anl|mvec|nsl|nss_.*|thread_db|BrokenLocale))\.so'

needed_libraries() {  # FILE...: prints paths, including those of indirect dependencies
  ldd "$@" | awk '$2 == "=>" { print $3 }' | sort -u | while read -r library; do
    [[ $(basename "$library") =~ $glibc ]] || echo "$library"
  done
}

# Copies the libraries that files need into a folder, and the licenses of those from Debian's packages into another one.
copy_libraries() {  # LIBRARIES LICENSES FILE...
  local to=$1 licenses=$2 library package
  shift 2
  if ldd "$@" | grep -E 'not found|libcuda\.so'; then
    echo "${0##*/}: these libraries are missing, or would have to be there on every machine" >&2
    return 1
  fi
  while read -r library; do
    cp -L "$library" "$to/"
    # TBB opens its allocator by name at run time, and works without it if it is missing.
    case $(basename "$library") in
      libtbb.so.*) cp -L "$(dirname "$library")"/libtbbmalloc.so.2 "$to/" ;;
    esac
    if package=$(dpkg-query -S "$(realpath "$library")" 2>/dev/null); then
      package=${package%%:*}
      cp -L "/usr/share/doc/$package/copyright" "$licenses/$package"
    fi
  done < <(needed_libraries "$@")
}

# Fails if files take a library from outside of a folder, except for glibc.
check_libraries() {  # FOLDER FILE...
  local folder outside
  folder=$(realpath "$1")
  shift
  outside=$(needed_libraries "$@" | grep -v "^$folder/" || true)
  [[ -z $outside ]] || { echo "${0##*/}: still taken from this machine:" $outside >&2; return 1; }
}
