#!/usr/bin/env bash
# Unpacks the bundle for MPI and checks that processes that this machine's mpirun starts make the same scene as one process,
# and that the plain bundle, which has no MPI, says so.   tests/install/check_mpi_bundle.sh FOLDER_OF_BUNDLES
set -euo pipefail
bundles=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
command -v mpirun >/dev/null || { echo "no mpirun: not checked"; exit 0; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

with_mpi=$(ls "$bundles"/vox-*-mpi.tar.xz)
tar -xf "$with_mpi"
tar -xf "${with_mpi/-mpi/}"
mpi=$work/$(basename "$with_mpi" .tar.xz)
plain=${mpi%-mpi}
! ls "$mpi/lib" | grep -E '^lib(mpi|open-|pmix|hwloc)' || { echo "the bundle holds a part of MPI"; exit 1; }

printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\nf 1 3 4\nf 2 3 4\n' >solid.obj
digest() { sed -n 's/.*"digest": "\([0-9a-f]*\)".*/\1/p'; }
one=$("$plain/bin/vox-convert" solid.obj --res 500 -q --json -o one.h5 | digest)
two=$(mpirun --oversubscribe -n 2 "$mpi/bin/vox-convert" solid.obj --res 500 -q --json -o two.h5 | digest)
[[ $one && $one == "$two" ]] || { echo "digests differ: '$one' of one process, '$two' of two"; exit 1; }

if mpirun --oversubscribe -n 2 "$plain/bin/vox-convert" solid.obj --res 500 -o none.h5 2>said; then
  echo "the plain bundle ran as two processes"
  exit 1
fi
grep -q 'this build of vox has no MPI' said && [[ ! -e none.h5 ]]
echo "two processes of $(basename "$with_mpi") make what one makes"
