#include "formats/script/scripts.h"

namespace vox {

std::string edit_script_help() {
  return R"(An edit script is text with one command a line; # begins a comment. Arguments have names and
come in any order; [ ] may be left out; | separates choices; ( ) holds the default.
Voxel i,j,k is the cube from i,j,k to i+1,j+1,k+1; the grid begins at 0,0,0.

SHAPES: a voxel belongs to a shape if its center does, border included.
  sphere     center x,y,z radius LENGTH [NOISE]
  box        min x,y,z max x,y,z [NOISE]
  capsule    from x,y,z to x,y,z radius LENGTH
  cylinder   from x,y,z to x,y,z radius LENGTH
  ellipsoid  center x,y,z radii x,y,z
  NOISE is   noise LENGTH [grain VOXELS] [seed NUMBER]: the surface moves in and out by up to
             LENGTH, in bumps of about VOXELS (8)
  Below, SHAPE is one of these words, and its arguments stand in the same line:
    sphere add center 70,20,70 radius 9.5 material 3
    erode in box min 0,0,0 max 50,50,50

FILL AND PAINT
  SHAPE add material M                  fill, whatever was there
  SHAPE remove                          empty
  SHAPE paint material M                change filled voxels only
  SHAPE replace material M with M       change voxels of one material only
  replace material M with M [in SHAPE]  the same; without a shape, everywhere
  clear [SHAPE]                         empty the shape, or everything
  fill seed x,y,z material M [in SHAPE] [limit VOXELS]
                                        fill all voxels that a path through faces joins to this one
                                        and that are like it: empty, or of its material. It is an
                                        error if these are more than the limit
  M is a material, 0 to 15. In a scene without materials it is left out, and paint and replace are
  errors. In a scene with 24-bit colors M is a color, #c03020; a script may use 15 colors. Such a
  scene takes add, remove, paint, clear, erode and the commands of HISTORY and REPEAT.

CHANGE THE SURFACE
  erode|dilate|smooth [steps N] [in SHAPE]   N times (1), at most 1024
                                        erode empties voxels with an empty 6-neighbor; dilate fills
                                        those with a filled one; smooth makes a voxel what most of
                                        the 27 voxels around it are

COPY: voxel for voxel, empty voxels too; voxels that fall outside of the grid are lost.
  copy min x,y,z max x,y,z to x,y,z [TURNS] [skip-empty] [keep-filled] [in SHAPE]
                                        voxels with min <= index < max, as they were before the copy
  stamp FILE.h5 at x,y,z [TURNS] [skip-empty] [keep-filled] [in SHAPE]
                                        another scene; its voxel 0,0,0 comes to x,y,z
  TURNS are    rotate x|y|z 90|180|270 and mirror x|y|z, as many as wanted, done in the order in
               which they are written; rotating about z by 90 takes x to y. The lowest corner of
               the turned box comes to the place after to or at.
  skip-empty   empty voxels of the source change nothing
  keep-filled  voxels that are filled already stay as they are
  in SHAPE     only voxels in the shape change

WITH ANOTHER SCENE
  union|subtract|intersect FILE.h5 [at x,y,z]   its voxel 0,0,0 comes to this place (0,0,0)

HISTORY
  undo [N]       take back the last N (1) edits
  redo [N]       do the last N (1) undone edits again
  snapshot NAME  remember the scene as it is
  restore NAME   go back to this snapshot; undo takes that back
  save FILE.h5   write the scene as it is

GARBAGE: nodes that neither the scene nor undo nor a snapshot needs. They are collected when the
memory is full, and
  gc                             now
  gc every EDITS [budget TIME]   from here on, each time after so many edits
  gc threshold SHARE [budget TIME]
                                 from here on, when this share of the nodes, such as 20%, may be
                                 garbage
  gc budget TIME                 a collection is done in steps of this time, such as 2ms, one after
                                 each edit (0ms: all at once)
  gc never                       not before memory is full (the default)

REPEAT
  repeat N [step x,y,z] [jitter LENGTH|x,y,z] [seed NUMBER]
    ...
  end            the lines between, N times. The n-th time, from 0, places are moved by n * step
                 and by a random offset of up to the jitter, either way, on each axis: the same in
                 every run with the same seed (0). The source of a copy stays, its target moves.
                 Offsets of nested repetitions add up. At most 10,000,000 commands in all.

UNITS AND NUMBERS
  units voxels   places and lengths are in voxels from here on (the default)
  units scene    they are in the scene's own units, as in the file that it was made from
  Numbers are such as 12, -3.5 or 1e3; places and lengths are rounded to 1/256 voxel. min, max
  and to of a copy, at, and the seed of a fill are whole voxels; in units of the scene they are
  rounded. Places lie within 2,097,152 voxels of 0,0,0, either way, lengths go up to 1,048,576.
  A FILE or NAME with blanks stands in "double quotes"; a FILE is looked for from the script's
  folder.

EXAMPLE
  # a hill with trees, and a road through it
  sphere add center 512,-200,512 radius 400 noise 12 grain 60 material 3
  snapshot bare
  repeat 100 jitter 300,0,300 seed 7
    stamp tree.h5 at 512,180,512 keep-filled
  end
  box remove min 0,100,500 max 1024,140,524
  save road.h5
  restore bare    # and -o gets the hill alone
)";
}

std::string volume_script_help() {
  return R"(The file may hold a volume's values as bricks, from vox-convert scan.nrrd -o scan.h5, instead of a
scene. A script then changes values. Only bricks in which a value has changed are made anew.

EDITS: in SHAPE and mask FILE limit them; without either, they change the whole volume.
  set VALUE [WHERE]         give the voxels this value
  add NUMBER [WHERE]        add to their values; a negative number subtracts
  scale NUMBER [WHERE]      multiply their values
  smooth [reach N] [WHERE]  the mean of the values within N voxels (1) on each axis, at most 8
  threshold VALUE [WHERE]   empty the voxels whose value is less
  WHERE is  [in SHAPE] [mask FILE [at x,y,z]]
  FILE is a volume, such as labels.nrrd or bricks in .h5: only voxels that are filled in it change.
  Its voxel 0,0,0 comes to the place named (0,0,0).
  Results are rounded to the type of the volume's values, and stay within its range.

SHAPES, UNITS AND NUMBERS, repeat … end, undo [N], redo [N] and save FILE.h5 are as in scripts for
scenes.

EXAMPLE
  # empty the air around a scan, smooth the middle, and mark a ball
  threshold 40
  smooth reach 2 in box min 100,100,100 max 400,400,300
  set 255 in sphere center 256,256,128 radius 20
  scale 0.5 mask bones.nrrd
)";
}

}  // namespace vox
