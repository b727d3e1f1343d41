#!/usr/bin/env bash
# Makes five pages to look at in a browser, each of at most 10 MB:
#   docs/gallery/make.sh FOLDER
# The programs must be in the PATH. The statue and the engine are loaded by datasets/fetch.py, if they are not in FOLDER/data yet.
# SPLAT=garden.splat shows a capture of your own; without it, the village's surface becomes splats.
set -euo pipefail
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
mkdir -p "$1/data"
cd "$1"
fetch() { "$repository/datasets/fetch.py" "$1" --to data; }

# A village of houses, trees and fences with textures
vox-scene village -o data/village.glb
vox-convert data/village.glb --res 1K -o data/village.h5 --force
vox-render data/village.h5 --html village.html

# A walled city, four times as long as wide
vox-scene city --blocks 8 -o data/city.glb
vox-convert data/city.glb --res 2K -o data/city.h5 --force
vox-render data/city.h5 --html city.html

# A statue, scanned, with light and shadow
fetch lucy-100k
vox-convert data/lucy-100k/lucy.ply --up z --res 768 --palette "$repository/docs/gallery/marble.hex" -o data/statue.h5 --force
vox-render data/statue.h5 --html statue.html --ground --exposure 1.2

# A CT scan of an engine: parts of the range of values are materials
fetch engine
vox-convert data/engine/engine_256x256x128_uint8.raw --structure svdag --materials bins:8 --threshold 0.3 -o data/engine.h5 --force
vox-render data/engine.h5 --html engine.html --cut z=64

# Gaussian splats
if [[ ! ${SPLAT:-} ]]; then
  SPLAT=data/village.splat
  vox-convert data/village.h5 --res 256 --ply points -o data/points.ply --force
  "$repository/docs/gallery/splats_of_points.py" data/points.ply "$SPLAT"
fi
vox-convert "$SPLAT" --res 512 -o data/splats.h5 --force
vox-render data/splats.h5 --html splats.html

for page in village city statue engine splats; do
  bytes=$(stat -c %s $page.html)
  echo "$page.html: $((bytes / 1000)) kB"
  ((bytes <= 10000000)) || { echo "$page.html is larger than 10 MB" >&2; exit 1; }
done
