/* Reads a scene of voxels that is cut into chunks with levels: the folders that `vox-convert -o FOLDER/scene.json` and
 * `vox-render --html FOLDER --stream` write (docs/formats.md, "Pages that load as you fly"). It is C99 and needs nothing but
 * the C library and a function that inflates zlib's data. One source file of a program defines VOX_CHUNKS_IMPLEMENTATION
 * before it includes this header.
 *
 *     size_t inflate_chunk(void *to, size_t room, const void *from, size_t size) {                            with zlib
 *       uLongf length = room;
 *       return uncompress(to, &length, from, size) == Z_OK ? length : 0;
 *     }
 *
 *     const char *error;
 *     vox_chunks *scene = vox_chunks_open("city", 64 << 20, inflate_chunk, &error);
 *     vox_cell cell;
 *     if (vox_chunks_at(scene, x, y, z, 0, &cell) == 1) …               the voxel (x, y, z) is filled
 *     vox_chunks_visit(scene, low, high, 3, draw, &world);             all filled cubes of 8³ voxels that touch a box
 *     vox_chunks_close(scene);
 *
 * Level n is made of cells of (2^n)³ voxels. A cell is filled if any voxel inside is. Chunks are loaded when they are needed,
 * checked (their names, and everything that a walk relies on), and kept while they fit into the memory that the caller
 * allows. A damaged folder always gives an error. Each thread needs a scene of its own. */
#ifndef VOX_CHUNKS_H
#define VOX_CHUNKS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct vox_chunks vox_chunks;

typedef struct vox_chunks_material {
  char name[64];    /* UTF-8, cut off if it is longer */
  uint8_t color[3]; /* red, green, blue in sRGB */
} vox_chunks_material;

typedef struct vox_chunks_info {
  uint32_t resolution; /* voxels along each side */
  uint32_t log2_side;  /* log2 of the side of the cube that the levels divide; levels are 0 to log2_side */
  uint64_t voxels;
  int has_materials;
  uint32_t materials; /* at most 16 */
  vox_chunks_material material[16];
  double origin[3]; /* the place of the lower corner of voxel (0, 0, 0) in the world */
  double sides[3];  /* the sides of a voxel, in the world */
} vox_chunks_info;

typedef struct vox_cell {
  int32_t x, y, z;    /* the voxel with the lowest x, y, z */
  uint32_t side;      /* in voxels: the side of the level's cells, or more for a cube full of one material */
  uint32_t materials; /* bit m: a voxel inside has material m; 1 in a scene without materials */
  uint8_t color[3];   /* the mean of the voxels in sRGB */
} vox_cell;

/* Is called for each cell. Returns 0 to go on, or another number to end the visit. */
typedef int (*vox_chunks_visitor)(const vox_cell* cell, void* user);

/* Inflates `size` bytes of zlib's data (RFC 1950). Returns the number of bytes, or 0 if the data are damaged or need more
 * room. */
typedef size_t (*vox_chunks_inflate)(void* to, size_t room, const void* from, size_t size);

/* Opens a folder. Chunks take at most `memory` bytes, unless those on the way to one cell need more. On failure returns
 * NULL and sets *error to a text that is always valid. `error` may be NULL. */
vox_chunks* vox_chunks_open(const char* folder, size_t memory, vox_chunks_inflate inflate,
                            const char** error);
void vox_chunks_close(vox_chunks* scene);
const vox_chunks_info* vox_chunks_about(const vox_chunks* scene);
const char* vox_chunks_error(const vox_chunks* scene); /* the reason for the last result of -1 */

/* Sets *cell to the level's cell around a voxel and returns 1. Returns 0 if it is empty, or -1. `cell` may be NULL. */
int vox_chunks_at(vox_chunks* scene, int32_t x, int32_t y, int32_t z, uint32_t level, vox_cell* cell);

/* Visits the filled cells of a level that touch the voxels low <= v < high, in Morton order. Returns 0 if done, 1 if
 * the visitor ended it, or -1. The visitor must not use the scene. */
int vox_chunks_visit(vox_chunks* scene, const int32_t low[3], const int32_t high[3], uint32_t level,
                     vox_chunks_visitor visitor, void* user);

#ifdef __cplusplus
}
#endif
#endif /* VOX_CHUNKS_H */

#ifdef VOX_CHUNKS_IMPLEMENTATION

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The most bytes of a chunk and of scene.json. vox writes chunks of at most about a MiB. */
#define VXC_MOST_BYTES ((size_t)1 << 22)

typedef struct vxc_chunk {
  struct vxc_chunk* next; /* the chunk that was used before this one */
  uint32_t name[4];
  uint32_t log2, sections, roots, others, refers, materials, numbered,
      names;                      /* names: the word where names begin */
  uint32_t* words;                /* here children are numbers of nodes in the next section */
  uint32_t* nodes;                /* the places of the nodes of all sections in `words` */
  uint32_t first[20], counts[20]; /* for each section: its first node in `nodes`, the number of its nodes */
  size_t bytes;
  int pins; /* the number of walks that are in it */
} vxc_chunk;

struct vox_chunks {
  vox_chunks_info info;
  uint32_t top[4];
  const char* error;
  size_t memory, bytes;
  vxc_chunk* newest;
  vox_chunks_inflate inflate;
  uint8_t* scratch; /* a file, and its inflated bytes */
  char* folder;
};

/* Reads a file of the folder into the first half of the scratch memory. Returns its size, or 0. */
static size_t vxc_read_file(vox_chunks* scene, const char* name) {
  char path[4096];
  size_t size;
  FILE* file;
  const int length = snprintf(path, sizeof(path), "%s/%s", scene->folder, name);
  if (length < 0 || (size_t)length >= sizeof(path) || (file = fopen(path, "rb")) == NULL) return 0;
  size = fread(scene->scratch, 1, VXC_MOST_BYTES, file);
  fclose(file);
  return size < VXC_MOST_BYTES ? size : 0;
}

/* In scene.json each key stands on a line of its own, indented by two blanks for each object and list around it. Gives
 * the text after the key, or NULL. */
static const char* vxc_find(const char* text, const char* key) {
  if (text == NULL || (text = strstr(text, key)) == NULL) return NULL;
  return text + strlen(key);
}

/* Reads a number. The program's LC_NUMERIC must be "C", as it is unless setlocale() changes it. */
static int vxc_number(const char* text, double low, double high, double* value) {
  *value = text == NULL ? 0 : strtod(text, NULL);
  return text != NULL && *value >= low && *value <= high;
}

static int vxc_read_name(const char* text, uint32_t name[4]) {
  int i;
  for (i = 0; i < 32; ++i) {
    const int digit = text[i] >= '0' && text[i] <= '9' ? text[i] - '0' : text[i] - 'a' + 10;
    if (digit < 0 || digit > 15) return 0;
    name[i / 8] = name[i / 8] << 4 | (uint32_t)digit;
  }
  return 1;
}

static int vxc_read_info(vox_chunks* scene) {
  static const char* const axes[3] = {"\n    \"x\": ", "\n    \"y\": ", "\n    \"z\": "};
  static const char* const channels[3] = {"\n      \"r\": ", "\n      \"g\": ", "\n      \"b\": "};
  vox_chunks_info* info = &scene->info;
  const size_t size = vxc_read_file(scene, "scene.json");
  const char *text = (const char*)scene->scratch, *at, *end;
  double side, number = 0;
  int i;
  scene->scratch[size] = 0;
  if ((at = vxc_find(text, "\n  \"format\": \"vox scene stream 1\"")) == NULL) return 0;
  if ((at = vxc_find(text, "\n  \"top\": \"")) == NULL || !vxc_read_name(at, scene->top)) return 0;
  if (!vxc_number(vxc_find(text, "\n  \"log2_side\": "), 2, 20, &number)) return 0;
  info->log2_side = (uint32_t)number;
  if (!vxc_number(vxc_find(text, "\n  \"resolution\": "), 1, 1u << info->log2_side, &number)) return 0;
  info->resolution = (uint32_t)number;
  if (!vxc_number(at = vxc_find(text, "\n  \"voxels\": "), 0, 1.2e18, &number)) return 0;
  for (; *at >= '0' && *at <= '9'; ++at) info->voxels = info->voxels * 10 + (uint64_t)(*at - '0');
  at = vxc_find(text, "\n  \"has_materials\": ");
  info->has_materials = at != NULL && *at == 't';
  if (!vxc_number(vxc_find(text, "\n  \"voxel_size\": "), 0, 1e300, &side)) return 0;
  for (i = 0; i < 3; ++i) {
    if (!vxc_number(vxc_find(vxc_find(text, "\n  \"origin\": {"), axes[i]), -1e300, 1e300, &info->origin[i]))
      return 0;
    if (!vxc_number(vxc_find(vxc_find(text, "\n  \"sides\": {"), axes[i]), 0, 1e300, &number)) return 0;
    info->sides[i] = side * number;
  }
  at = vxc_find(text, "\n  \"palette\": [");
  end = at == NULL ? NULL : strstr(at, "\n  ]");
  while (end != NULL && (at = vxc_find(at, "\n      \"name\": \"")) != NULL && at < end &&
         info->materials < 16) {
    vox_chunks_material* material = &info->material[info->materials++];
    for (i = 0; i < 63 && *at != '"' && *at != 0; ++at)
      material->name[i++] = *at == '\\' && at[1] != 0 ? *++at : *at;
    for (i = 0; i < 3; ++i) {
      if (!vxc_number(vxc_find(at, channels[i]), 0, 255, &number)) return 0;
      material->color[i] = (uint8_t)number;
    }
  }
  return end != NULL;
}

static uint64_t vxc_mix(uint64_t x) {
  x = (x ^ x >> 33) * 0xff51afd7ed558ccdu;
  x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53u;
  return x ^ x >> 33;
}

static uint32_t vxc_popcount(uint32_t bits) {
  uint32_t count = 0;
  for (; bits != 0; bits &= bits - 1) ++count;
  return count;
}

static int vxc_has_name(const uint32_t* words, size_t count, const uint32_t name[4]) {
  uint64_t low = vxc_mix(4), high = vxc_mix(4 + 0x9e3779b97f4a7c15u);
  size_t i;
  for (i = 0; i < count; ++i) {
    low = vxc_mix(low ^ words[i]) + 0x9e3779b97f4a7c15u;
    high = vxc_mix(high + low * 0xc2b2ae3d27d4eb4fu) ^ words[i];
  }
  return high == ((uint64_t)name[0] << 32 | name[1]) && low == ((uint64_t)name[2] << 32 | name[3]);
}

/* Finds the nodes of a section from a word on, and replaces pointers by numbers. Returns the word after them, or 0. */
static size_t vxc_check_section(vxc_chunk* chunk, uint32_t section, size_t at, size_t end) {
  const int is_last = section + 1 == chunk->sections, is_leaf = is_last && !chunk->refers;
  const uint32_t below = is_last ? 0 : chunk->counts[section + 1];
  uint32_t *words = chunk->words, i, next = 0;
  size_t child, size;
  for (i = 0; i < chunk->counts[section]; ++i, at += size) {
    if (end - at < 2 && (at == end || is_leaf || (words[at] & 256) == 0)) return 0;
    if (is_leaf)
      size = 2 + (chunk->materials ? (vxc_popcount(words[at]) + vxc_popcount(words[at + 1]) + 7) / 8 : 0);
    else
      size = (words[at] & 256) != 0 ? 1 : is_last ? 6 : 4 + vxc_popcount(words[at] & 255);
    if (size > end - at) return 0;
    chunk->nodes[chunk->first[section] + i] = (uint32_t)at;
    if (is_leaf || size == 1) continue;
    if ((words[at] & 255) != 0 && words[at] >> 16 == 0) return 0; /* filled, but with no material */
    if (is_last &&
        (words[at + 4] >= chunk->others || words[at + 5] >= words[chunk->names + 5 * words[at + 4] + 4]))
      return 0;
    for (child = is_last ? size : 4; child < size; ++child) {
      const uint32_t back = words[at + child];
      if (back > next || next - back >= below) return 0;
      words[at + child] = next - back;
      next += back == 0;
    }
  }
  return at;
}

/* Checks the words of the chunk's file. */
static int vxc_check(vxc_chunk* chunk, size_t count) {
  const uint32_t* words = chunk->words;
  size_t at, nodes = 0, end;
  uint32_t i;
  if (count < 8 || words[0] != 0x4b435856 || words[1] != 1) return 0;
  chunk->log2 = words[2], chunk->sections = words[3], chunk->roots = words[4], chunk->others = words[5];
  chunk->refers = words[6], chunk->materials = words[7] & 1, chunk->numbered = words[7] >> 1;
  /* Sections go down to the leaves, or to references below the roots, so that every walk through chunks ends. */
  if (chunk->log2 > 20 || chunk->sections < (chunk->refers ? 2u : 1u) || chunk->sections > 19) return 0;
  if (chunk->refers ? chunk->log2 < chunk->sections + 2 : chunk->log2 != chunk->sections + 1) return 0;
  chunk->names = 8 + 2 * chunk->sections;
  if (count < chunk->names || chunk->others > (count - chunk->names) / 5) return 0;
  for (i = 0; i < chunk->sections; ++i) {
    chunk->first[i] = (uint32_t)nodes;
    chunk->counts[i] = words[8 + 2 * i];
    if (chunk->counts[i] > count - nodes) return 0; /* each node has at least a word */
    nodes += chunk->counts[i];
  }
  chunk->nodes = (uint32_t*)malloc((nodes + 1) * sizeof(uint32_t));
  if (chunk->nodes == NULL || chunk->counts[0] != chunk->roots) return 0;
  chunk->bytes = sizeof(*chunk) + (count + nodes) * sizeof(uint32_t);
  at = chunk->names + 5 * (size_t)chunk->others;
  for (i = 0; i < chunk->sections; ++i, at = end) {
    if (words[9 + 2 * i] > count - at) return 0;
    end = at + words[9 + 2 * i];
    if (vxc_check_section(chunk, i, at, end) != end) return 0;
  }
  return at == count;
}

static void vxc_free(vxc_chunk* chunk) {
  free(chunk->words);
  free(chunk->nodes);
  free(chunk);
}

static vxc_chunk* vxc_load(vox_chunks* scene, const uint32_t name[4]) {
  char file[64];
  const uint8_t* bytes = scene->scratch + VXC_MOST_BYTES;
  vxc_chunk* chunk = (vxc_chunk*)calloc(1, sizeof(*chunk));
  size_t size, i;
  snprintf(file, sizeof(file), "chunks/%02x/%08x%08x%08x%08x.voxc", (unsigned)(name[0] >> 24),
           (unsigned)name[0], (unsigned)name[1], (unsigned)name[2], (unsigned)name[3]);
  size = vxc_read_file(scene, file);
  if (size > 0) size = scene->inflate(scene->scratch + VXC_MOST_BYTES, VXC_MOST_BYTES, scene->scratch, size);
  if (chunk != NULL && size <= VXC_MOST_BYTES && (chunk->words = (uint32_t*)malloc(size + 4)) != NULL) {
    memcpy(chunk->name, name, sizeof(chunk->name));
    for (i = 0; i < size / 4; ++i, bytes += 4)
      chunk->words[i] =
          bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
    if (vxc_has_name(chunk->words, size / 4, name) && vxc_check(chunk, size / 4)) return chunk;
  }
  if (chunk != NULL) vxc_free(chunk);
  scene->error = "a chunk is missing, damaged or too large";
  return NULL;
}

/* Returns the chunk with a name. The caller must unpin it. The list begins with the chunk that was used last. */
static vxc_chunk* vxc_chunk_of(vox_chunks* scene, const uint32_t name[4]) {
  vxc_chunk **at = &scene->newest, *chunk;
  while (*at != NULL && memcmp((*at)->name, name, sizeof((*at)->name)) != 0) at = &(*at)->next;
  chunk = *at;
  if (chunk != NULL) {
    *at = chunk->next;
  } else {
    if ((chunk = vxc_load(scene, name)) == NULL) return NULL;
    scene->bytes += chunk->bytes;
  }
  chunk->next = scene->newest;
  scene->newest = chunk;
  ++chunk->pins;
  while (scene->bytes > scene->memory) {
    vxc_chunk **oldest = NULL, *gone;
    for (at = &scene->newest; *at != NULL; at = &(*at)->next)
      if ((*at)->pins == 0) oldest = at;
    if (oldest == NULL) break;
    gone = *oldest;
    *oldest = gone->next;
    scene->bytes -= gone->bytes;
    vxc_free(gone);
  }
  return chunk;
}

typedef struct vxc_visit {
  int32_t low[3], high[3];
  uint32_t level;
  vox_chunks_visitor visitor;
  void* user;
} vxc_visit;

static int vxc_touches(const vxc_visit* visit, const vox_cell* cell) {
  const int32_t side = (int32_t)cell->side;
  return cell->x < visit->high[0] && cell->x + side > visit->low[0] && cell->y < visit->high[1] &&
         cell->y + side > visit->low[1] && cell->z < visit->high[2] && cell->z + side > visit->low[2];
}

static void vxc_move(vox_cell* cell, uint32_t octant) {
  cell->x += (int32_t)(cell->side * (octant & 1));
  cell->y += (int32_t)(cell->side * (octant >> 1 & 1));
  cell->z += (int32_t)(cell->side * (octant >> 2 & 1));
}

/* Visits the cells of 4, 2 or 1 voxels a side in a leaf. This cell has `bits` bits of the leaf's mask, from the bit
   `first` on. */
static int vxc_walk_leaf(const vox_chunks* scene, const vxc_chunk* chunk, const uint32_t* words,
                         uint32_t first, uint32_t bits, vox_cell cell, const vxc_visit* visit) {
  uint32_t i, channel, count = 0, rank = 0, sums[3] = {0};
  cell.materials = 0;
  if (!vxc_touches(visit, &cell)) return 0;
  for (i = 0; i < first + bits; ++i) {
    uint32_t material = 0;
    if ((words[i / 32] >> i % 32 & 1) == 0) continue;
    if (chunk->materials) material = words[2 + rank / 8] >> rank % 8 * 4 & 15;
    ++rank;
    if (i < first) continue;
    ++count;
    cell.materials |= 1u << material;
    for (channel = 0; channel < 3; ++channel) {
      const uint32_t code = scene->info.material[material].color[channel];
      sums[channel] += code * code;
    }
  }
  if (count == 0) return 0;
  if (visit->level < 2 && bits > 1u << 3 * visit->level) {
    for (cell.side /= 2, i = 0; i < 8; ++i) {
      vox_cell part = cell;
      int result;
      vxc_move(&part, i);
      if ((result = vxc_walk_leaf(scene, chunk, words, first + i * bits / 8, bits / 8, part, visit)) != 0)
        return result;
    }
    return 0;
  }
  /* The square of an sRGB code is close to linear light. */
  for (channel = 0; channel < 3; ++channel)
    for (i = 0; i < 255 && (2 * i + 1) * (2 * i + 1) * count <= 4 * sums[channel]; ++i)
      cell.color[channel] = (uint8_t)(i + 1);
  return visit->visitor(&cell, visit->user) != 0;
}

static int vxc_walk(vox_chunks* scene, vxc_chunk* chunk, uint32_t section, uint32_t node, vox_cell cell,
                    const vxc_visit* visit) {
  const uint32_t* words = chunk->words + chunk->nodes[chunk->first[section] + node];
  const int is_last = section + 1 == chunk->sections;
  const uint32_t log2 = chunk->log2 - section, header = words[0];
  uint32_t octant, child = 4;
  int result = 0;
  if (!vxc_touches(visit, &cell)) return 0;
  if (is_last && !chunk->refers) return vxc_walk_leaf(scene, chunk, words, 0, 64, cell, visit);
  if ((header & 256) != 0 || log2 <= visit->level) {
    const uint8_t* color = scene->info.material[header >> 9 & 15].color;
    const int is_of_one = (header & 256) != 0 || chunk->numbered; /* nodes with numbers have no colors */
    if ((header & 511) == 0) return 0;                            /* the root of an empty scene */
    for (child = 0; child < 3; ++child)
      cell.color[child] = (uint8_t)(is_of_one ? color[child] : words[3] >> 8 * child & 255);
    cell.materials = (header & 256) != 0 ? 1u << (header >> 9 & 15) : header >> 16;
    return visit->visitor(&cell, visit->user) != 0;
  }
  if (is_last) {
    vxc_chunk* other = vxc_chunk_of(scene, chunk->words + chunk->names + 5 * words[4]);
    if (other == NULL) return -1;
    if (other->log2 == log2 && words[5] < other->roots) {
      result = vxc_walk(scene, other, 0, words[5], cell, visit);
    } else {
      scene->error = "chunks do not fit together";
      result = -1;
    }
    --other->pins;
    return result;
  }
  for (cell.side /= 2, octant = 0; octant < 8 && result == 0; ++octant) {
    vox_cell part = cell;
    if ((header >> octant & 1) == 0) continue;
    vxc_move(&part, octant);
    result = vxc_walk(scene, chunk, section + 1, words[child++], part, visit);
  }
  return result;
}

int vox_chunks_visit(vox_chunks* scene, const int32_t low[3], const int32_t high[3], uint32_t level,
                     vox_chunks_visitor visitor, void* user) {
  vox_cell cell = {0};
  vxc_visit visit;
  vxc_chunk* top;
  int result = -1;
  if (low[0] >= high[0] || low[1] >= high[1] || low[2] >= high[2]) return 0;
  memcpy(visit.low, low, sizeof(visit.low));
  memcpy(visit.high, high, sizeof(visit.high));
  visit.level = level < 20 ? level : 20;
  visit.visitor = visitor;
  visit.user = user;
  cell.side = 1u << scene->info.log2_side;
  if ((top = vxc_chunk_of(scene, scene->top)) == NULL) return -1;
  if (top->log2 == scene->info.log2_side && top->roots == 1)
    result = vxc_walk(scene, top, 0, 0, cell, &visit);
  else
    scene->error = "scene.json and the first chunk do not fit together";
  --top->pins;
  return result;
}

static int vxc_keep_cell(const vox_cell* cell, void* user) {
  if (user != NULL) memcpy(user, cell, sizeof(*cell));
  return 1;
}

int vox_chunks_at(vox_chunks* scene, int32_t x, int32_t y, int32_t z, uint32_t level, vox_cell* cell) {
  const int32_t side = (int32_t)scene->info.resolution, low[3] = {x, y, z};
  int32_t high[3];
  if (x < 0 || y < 0 || z < 0 || x >= side || y >= side || z >= side) return 0;
  high[0] = x + 1, high[1] = y + 1, high[2] = z + 1;
  return vox_chunks_visit(scene, low, high, level, vxc_keep_cell, cell);
}

vox_chunks* vox_chunks_open(const char* folder, size_t memory, vox_chunks_inflate inflate,
                            const char** error) {
  vox_chunks* scene = (vox_chunks*)calloc(1, sizeof(*scene));
  const char* problem = "there is not enough memory";
  if (scene != NULL && (scene->folder = (char*)malloc(strlen(folder) + 1)) != NULL &&
      (scene->scratch = (uint8_t*)malloc(2 * VXC_MOST_BYTES)) != NULL) {
    strcpy(scene->folder, folder);
    scene->memory = memory;
    scene->inflate = inflate;
    if (vxc_read_info(scene)) return scene;
    problem = "there is no scene.json of chunks, or it is damaged";
  }
  if (error != NULL) *error = problem;
  vox_chunks_close(scene);
  return NULL;
}

void vox_chunks_close(vox_chunks* scene) {
  while (scene != NULL && scene->newest != NULL) {
    vxc_chunk* chunk = scene->newest;
    scene->newest = chunk->next;
    vxc_free(chunk);
  }
  if (scene == NULL) return;
  free(scene->scratch);
  free(scene->folder);
  free(scene);
}

const vox_chunks_info* vox_chunks_about(const vox_chunks* scene) {
  return &scene->info;
}

const char* vox_chunks_error(const vox_chunks* scene) {
  return scene->error;
}

#endif /* VOX_CHUNKS_IMPLEMENTATION */
