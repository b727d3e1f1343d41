/* The C interface of vox. It makes voxel scenes in memory from meshes, points, volumes and other programs' voxels, and
 * edits, renders, reads and saves them. docs/c-api.md explains it by example.
 *
 *   vox_engine* engine = NULL;
 *   vox_scene* scene = NULL;
 *   vox_voxelize_options options = {.struct_size = sizeof options, .resolution = 512};
 *   if (vox_engine_create(NULL, &engine) || vox_voxelize_file(engine, "house.glb", &options, &scene) ||
 *       vox_scene_save(engine, scene, "house.h5", 0))
 *     fprintf(stderr, "%s\n", vox_error_message());
 *   vox_scene_delete(&scene);
 *   vox_engine_delete(&engine);
 *
 * Rules for all functions:
 *
 * - A function that can fail returns a vox_status, VOX_OK (0) if it succeeded. After a failure nothing has been changed,
 *   no file has been written, objects that would have been returned are NULL, and vox_error_message() says why. No C++
 *   exception leaves the library.
 * - Structures that you pass in begin with their size, so that later versions can add fields behind the last one. Set
 *   struct_size to its sizeof, and all fields that you do not need to 0, the default of every field. Sizes, counts,
 *   numbers and indices that are out of range are errors, and so is NULL unless it is said to be allowed.
 * - Texts are UTF-8 and end with a 0. A returned text belongs to the library; its function says how long it is valid.
 * - A function that takes an engine is a call of this engine. An engine makes one call at a time; other calls wait.
 *   Several engines work side by side. Any number of calls may read a scene or a mesh at once, but no other may use
 *   it while one changes or deletes it.
 * - Functions that delete take the address of the pointer and set it to NULL. They ignore a NULL, so that deleting
 *   twice is safe. Scenes and meshes stay valid when engines are deleted.
 * - The same input gives the same scene, bit for bit, on every device and for any number of threads.
 */
#ifndef VOX_H
#define VOX_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define VOX_API __attribute__((visibility("default")))
#else
#define VOX_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* --- versions and errors ------------------------------------------------------------------------------------------- */

/* Returns the version of the library, such as "0.1.0". */
VOX_API const char* vox_version(void);

typedef int32_t vox_status;
enum {
  VOX_OK = 0,
  VOX_FAILED = 1,    /* the work failed, as when a file is damaged, a device is missing or a mesh is empty */
  VOX_BAD_USE = 2,   /* the arguments make no sense */
  VOX_NO_MEMORY = 3, /* the memory of the machine, the device or the engine's limit does not suffice */
  VOX_CANCELLED = 4, /* vox_engine_cancel() or a progress function has ended the call */
  VOX_DEFECT = 5     /* a defect of the library, please report it */
};

/* These return texts about the last failure in the calling thread. They are valid until the thread's next failure, and
 * empty if nothing has failed. */
VOX_API const char* vox_error_message(void); /* everything in one line: "WHERE: WHAT (HINT)" */
VOX_API const char* vox_error_what(void);    /* the problem */
VOX_API const char* vox_error_where(void);   /* the file, its line, or the argument; may be empty */
VOX_API const char* vox_error_hint(void);    /* a way to solve the problem; may be empty */

/* --- engines ------------------------------------------------------------------------------------------------------- */

typedef struct vox_engine vox_engine;

typedef struct vox_engine_options {
  uint64_t struct_size;
  const char* device;    /* "auto" (or NULL), "cpu", "cuda", "cuda:N", or several, such as "cuda:0,1" */
  uint64_t memory_limit; /* bytes of the process (on a CPU) or of the GPU; 0: 80 % of the free memory */
  uint32_t threads;      /* the threads that work for the engine at once; 0: all cores */
  uint32_t reserved;     /* 0 */
} vox_engine_options;

/* Makes an engine. `options` may be NULL. */
VOX_API vox_status vox_engine_create(const vox_engine_options* options, vox_engine** engine);
/* Deletes an engine. No call of it may be running. */
VOX_API void vox_engine_delete(vox_engine** engine);

/* Returns the engine's device, such as "cpu" or "cuda:0". It is valid as long as the engine. Returns "" for NULL. */
VOX_API const char* vox_engine_device(const vox_engine* engine);

/* Ends the call that the engine is making, which soon returns VOX_CANCELLED. Later calls are not affected. Without a
 * running call, or if the engine is NULL, this does nothing. Any thread may call it, and so may a signal handler. */
VOX_API void vox_engine_cancel(vox_engine* engine);

/* Receives the progress of an engine's calls: the step ("voxelizing"), and the share of it that is done, 0 to 1. It is
 * called often, on any thread, but never twice at once. It must not use the library, except for vox_engine_cancel() and
 * vox_memory_delete().
 * Returns 0, or another number to end the call as vox_engine_cancel() does. */
typedef int32_t (*vox_progress_function)(void* user, const char* what, double share);
/* Sets the function; NULL: none. It must not be called while a call of the engine is running. */
VOX_API vox_status vox_engine_set_progress(vox_engine* engine, vox_progress_function function, void* user);

/* Receives messages of an engine's calls, on any thread, but never twice at once. They say what was substituted or left
 * out. The function must not use the library. */
enum { VOX_LOG_ERROR = 0, VOX_LOG_WARNING = 1, VOX_LOG_INFO = 2, VOX_LOG_DEBUG = 3 };
typedef void (*vox_log_function)(void* user, int32_t level, const char* text);
/* Sets the function; NULL: messages are lost. It must not be called while a call of the engine is running. */
VOX_API vox_status vox_engine_set_log(vox_engine* engine, vox_log_function function, void* user);

/* --- memory of a GPU ----------------------------------------------------------------------------------------------- */

/* Arrays that calls read or fill may lie in the memory of a GPU: those of meshes, images, points, volumes, rays and hits,
 * voxels, dense boxes, distances and pictures. They are copied through memory of the host, after all work that the GPU has
 * been given before. A filled array is complete when the call returns VOX_OK; after an error it may be unchanged. */

/* Makes an array in the memory of the engine's first device, which is the host's for a CPU. It counts towards the engine's
 * memory limit, and must be deleted before the engine. */
VOX_API vox_status vox_memory_create(vox_engine* engine, uint64_t bytes, void** memory);
/* Deletes an array. Any thread may call this, also while a call of the engine is running. */
VOX_API void vox_memory_delete(vox_engine* engine, void** memory);
/* Copies bytes between memory of any two devices or of the host. */
VOX_API vox_status vox_memory_copy(void* to, const void* from, uint64_t bytes);

/* --- meshes -------------------------------------------------------------------------------------------------------- */

typedef struct vox_mesh vox_mesh;

enum { VOX_WRAP_REPEAT = 0, VOX_WRAP_CLAMP = 1, VOX_WRAP_MIRROR = 2 };

/* A material of triangles. */
typedef struct vox_material {
  uint64_t struct_size;
  const char* name;     /* may be NULL */
  const uint8_t* image; /* RGBA in sRGB, image_width * image_height pixels, top row first; NULL: none */
  uint32_t image_width, image_height;
  float base_color[4];     /* linear RGB and alpha, 0 to 1, which multiply the image; all 0: white */
  float alpha_cutoff;      /* an alpha below it leaves the voxel empty; 0: everything is opaque */
  uint32_t wrap_u, wrap_v; /* VOX_WRAP_… */
  uint32_t reserved;       /* 0 */
} vox_material;

enum { VOX_FLOAT32 = 0, VOX_FLOAT64 = 1 };
enum { VOX_V_DOWN = 0, VOX_V_UP = 1 };

/* Triangles in arrays, which are copied. Triangles with a position that is not finite are left out without an error. */
typedef struct vox_mesh_arrays {
  uint64_t struct_size;
  uint64_t vertices;             /* the number of vertices */
  uint64_t triangles;            /* the number of triangles */
  const void* positions;         /* x, y, z of each vertex, in the type of position_type; y points up */
  const uint32_t* indices;       /* three vertices for each triangle; NULL: 0, 1, 2, then 3, 4, 5, … */
  const float* uv;               /* u, v of each vertex; NULL: no texture coordinates */
  const float* corner_uv;        /* u, v of each corner of each triangle, in place of `uv`; NULL: none */
  const uint8_t* colors;         /* RGBA of each vertex, sRGB, for materials without an image; NULL: none */
  const uint32_t* material_of;   /* the number of each triangle's material; NULL: 0 for all */
  const vox_material* materials; /* NULL: one gray material */
  uint32_t material_count;
  uint32_t position_type; /* VOX_FLOAT32 or VOX_FLOAT64 */
  uint32_t v_direction;   /* VOX_V_DOWN: v 0 is the top row of an image; VOX_V_UP: the bottom row */
  uint32_t reserved;      /* 0 */
} vox_mesh_arrays;

/* Makes a mesh from arrays. */
VOX_API vox_status vox_mesh_create(const vox_mesh_arrays* arrays, vox_mesh** mesh);
/* Adds the triangles of further arrays, with their own materials, to a mesh. */
VOX_API vox_status vox_mesh_add(vox_mesh* mesh, const vox_mesh_arrays* arrays);

enum { VOX_UP_FILE = 0, VOX_UP_X = 1, VOX_UP_Y = 2, VOX_UP_Z = 3 };

/* Reads a mesh file of any kind that vox-convert reads, with its materials and textures. `up` is the axis of the file that
 * points up. It needs no engine, so that one thread can read a mesh while an engine works on another. Its messages are
 * lost, for example about missing textures; those of vox_voxelize_file() go to the engine's log. */
VOX_API vox_status vox_mesh_load(const char* path, uint32_t up, vox_mesh** mesh);
VOX_API void vox_mesh_delete(vox_mesh** mesh);
/* Returns the number of triangles; 0 for NULL. */
VOX_API uint64_t vox_mesh_triangles(const vox_mesh* mesh);

/* --- scenes -------------------------------------------------------------------------------------------------------- */

typedef struct vox_scene vox_scene;

enum { VOX_CONSERVATIVE = 0, VOX_THIN = 1 };
enum { VOX_SURFACE = 0, VOX_SOLID = 1, VOX_SOLID_PARITY = 2, VOX_SOLID_FLOOD = 3 };

/* The source of a voxel's material. */
enum {
  VOX_MATERIALS_TEXTURE = 0, /* the nearest palette color; vox chooses the palette if none is given */
  VOX_MATERIALS_MESH = 1,    /* the mesh's materials; the 16 with the largest areas get palette entries */
  VOX_MATERIALS_COLORS = 2,  /* no materials; each voxel has a 24-bit color, stored apart from the geometry */
  VOX_MATERIALS_NONE = 3,    /* no materials; voxels are filled or empty */
  VOX_MATERIALS_NUMBERS = 4  /* the number of the triangle's material (at most 16); images only make holes */
};

typedef struct vox_voxelize_options {
  uint64_t struct_size;
  double voxel_size;      /* the side of a voxel in units of the mesh; 0: it follows from the resolution */
  uint32_t resolution;    /* voxels along the longest side, 4 to 1048576; 0: it follows from voxel_size */
  uint32_t coverage;      /* VOX_CONSERVATIVE: all voxels that a triangle touches; VOX_THIN: fewer */
  uint32_t solid;         /* VOX_SURFACE; VOX_SOLID: insides by winding number; …_PARITY; …_FLOOD */
  uint32_t materials;     /* VOX_MATERIALS_… */
  const uint8_t* palette; /* RGB of the entries of a palette; NULL: it is chosen */
  uint32_t palette_count; /* entries of `palette`, at most 16 */
  uint32_t up;            /* VOX_UP_…, for files alone */
  const double* clip;     /* the lowest and the highest x, y, z that the grid spans; NULL: the input */
  uint32_t center;        /* 1: the shorter sides lie in the middle of the grid */
  uint32_t snap;          /* 1: the grid begins at a multiple of the voxel size */
  double point_radius;    /* the radius of points, in units of their file */
  const double* sides;    /* the sides of a voxel along x, y and z, in place of voxel_size; NULL: a cube */
  double close;           /* with VOX_SOLID: the width in voxels of gaps that are closed to find the inside */
  uint32_t interior;      /* 1 + the material of voxels inside; 0: that of the surface */
  uint32_t shell_count;   /* with an interior: other materials for voxels near the surface */
  const double*
      shell_depths; /* the greatest depth of each shell's voxels, ascending, in units of a voxel's shortest side */
  const uint8_t* shell_materials; /* the material of each shell */
  const char* strokes; /* a script of strokes to paint on a mesh (docs/converting.md); NULL: none */
  uint32_t paint_size; /* the texels along each side of the square for paint, 1 to 65536; 0: 4096 */
  uint32_t reserved;   /* 0 */
} vox_voxelize_options;

/* Voxelizes a mesh. Either resolution or voxel_size must be given. */
VOX_API vox_status vox_voxelize(vox_engine* engine, const vox_mesh* mesh, const vox_voxelize_options* options,
                                vox_scene** scene);

/* Makes a scene from any file that vox-convert reads. Meshes and points are voxelized, for which either resolution or
 * voxel_size must be given. Volumes, other programs' voxels and scene files have voxels already: for them a resolution,
 * if there is one, makes the scene coarser as vox_scene_coarser() does, `options` may be NULL, and materials are
 * VOX_MATERIALS_TEXTURE (for other programs' voxels, also …_NONE and …_COLORS are allowed). An option that has no
 * effect on the file is an error. */
VOX_API vox_status vox_voxelize_file(vox_engine* engine, const char* path,
                                     const vox_voxelize_options* options, vox_scene** scene);

/* Makes one scene of several files, which share a grid and a palette; `options` are needed. Meshes that follow each
 * other are voxelized together, and so are files that are all points. Otherwise the last file that fills a voxel decides
 * its material, and the y axis of all files must point up. */
VOX_API vox_status vox_voxelize_files(vox_engine* engine, const char* const* paths, uint64_t count,
                                      const vox_voxelize_options* options, vox_scene** scene);

/* Puts scenes, whose y axis must point up, on one grid at their places in the world. The last scene that fills a voxel
 * decides its material. Only the options of the grid, `materials` and the palette have an effect. */
VOX_API vox_status vox_compose(vox_engine* engine, const vox_scene* const* scenes, uint64_t count,
                               const vox_voxelize_options* options, vox_scene** scene);

/* Points in arrays, which are used during the call. */
typedef struct vox_points {
  uint64_t struct_size;
  uint64_t count;         /* the number of points */
  const void* positions;  /* x, y, z of each point, in the type of position_type */
  const uint8_t* colors;  /* RGB of each point; NULL: none */
  uint32_t position_type; /* VOX_FLOAT32 or VOX_FLOAT64 */
  uint32_t reserved;      /* 0 */
} vox_points;

/* Fills the voxels of points, or those within options->point_radius of a point. */
VOX_API vox_status vox_voxelize_points(vox_engine* engine, const vox_points* points,
                                       const vox_voxelize_options* options, vox_scene** scene);

/* The types of a volume's values. */
enum {
  VOX_U8 = 0,
  VOX_I8 = 1,
  VOX_U16 = 2,
  VOX_I16 = 3,
  VOX_U32 = 4,
  VOX_I32 = 5,
  VOX_U64 = 6,
  VOX_I64 = 7,
  VOX_F32 = 8,
  VOX_F64 = 9
};

/* The materials of a volume's voxels. */
enum {
  VOX_VALUES_AUTO = 0,   /* labels if at most 16 small whole numbers seem to be labels, otherwise bins */
  VOX_VALUES_BINS = 1,   /* the range of values in 16 equal parts, or as many as the palette has colors */
  VOX_VALUES_LABELS = 2, /* each number is a material, and 0 is empty */
  VOX_VALUES_FILLED = 3  /* none: voxels are filled or empty */
};

/* Values of a volume in an array, which is used during the call, or in a file without a header. */
typedef struct vox_volume {
  uint64_t struct_size;
  const void* values;     /* x fastest, then y */
  uint64_t bytes;         /* the size of `values` */
  const char* path;       /* a file, in place of `values`; its name may end in .gz */
  uint64_t offset;        /* the bytes before the values in the file */
  uint32_t big_endian;    /* 1: the bytes of the file's values are in this order */
  uint32_t size[3];       /* the number of values along x, y and z */
  uint32_t type;          /* VOX_U8 to VOX_F64 */
  uint32_t materials;     /* VOX_VALUES_… */
  uint32_t has_threshold; /* 1: values below `threshold` are empty */
  uint32_t palette_count; /* entries of `palette`, at most 16 */
  const uint8_t* palette; /* RGB of the materials; NULL: it is chosen */
  double threshold;
  double spacing[3]; /* the distances between values along x, y and z; all 0: 1 */
  double origin[3];  /* the place of the lower corner of the first value's voxel in the world */
} vox_volume;

/* Makes a scene of a volume. The background is always empty: the lowest value if it is negative, otherwise 0. */
VOX_API vox_status vox_voxelize_volume(vox_engine* engine, const vox_volume* volume, vox_scene** scene);

/* Writes the faults that make the inside of a mesh unclear as a JSON object, like the file of vox-convert --report, for
 * each object and with places: open edges, edges of more than two triangles, turned and crossing triangles. Only the
 * options of the grid have an effect. `text`, `capacity` and `length` are as in vox_scene_stats(). */
VOX_API vox_status vox_mesh_report(vox_engine* engine, const vox_mesh* mesh,
                                   const vox_voxelize_options* options, char* text, uint64_t capacity,
                                   uint64_t* length);

typedef struct vox_info vox_info;

/* Writes the distance from the center of each voxel of the grid to the mesh, x fastest, then y, in units of the mesh:
 * resolution³ floats, `bytes` in all. `band` is a number of voxels (their shortest sides); beyond it, the values are its
 * width. With `solid`, values inside are negative. Only the options of the grid, `solid` and `close` have an effect.
 * With NULL and 0 bytes, only `info` is filled, with the grid (resolution, origin, voxel_size); it may be NULL. */
VOX_API vox_status vox_mesh_distances(vox_engine* engine, const vox_mesh* mesh,
                                      const vox_voxelize_options* options, double band, float* distances,
                                      uint64_t bytes, vox_info* info);

/* Reads a scene file, or another program's voxels. The normals of a scene file, and the forms of its voxels besides an
 * SVDAG, are left out, and the engine's log says so. */
VOX_API vox_status vox_scene_load(vox_engine* engine, const char* path, vox_scene** scene);

enum { VOX_UNION = 0, VOX_INTERSECT = 1, VOX_SUBTRACT = 2 };

/* Voxelizes two meshes, and keeps the parts of their surfaces that bound their union, their intersection, or the first
 * without the second. `solid` must be VOX_SURFACE, and `materials` VOX_MATERIALS_TEXTURE or VOX_MATERIALS_NONE. */
VOX_API vox_status vox_combine(vox_engine* engine, const vox_mesh* first, const vox_mesh* second,
                               uint32_t combination, const vox_voxelize_options* options, vox_scene** scene);

/* Returns another scene with the same content, without copying voxels. */
VOX_API vox_status vox_scene_copy(const vox_scene* scene, vox_scene** copy);
VOX_API void vox_scene_delete(vox_scene** scene);

enum { VOX_KEEP_OTHER_FILES = 0, VOX_OVERWRITE = 1 };

/* Writes a file, whose extension chooses the format: .h5 is a scene file, and docs/formats.md lists the others. The file
 * appears complete or not at all. A file that another program wrote is replaced only with VOX_OVERWRITE. */
VOX_API vox_status vox_scene_save(vox_engine* engine, const vox_scene* scene, const char* path,
                                  uint32_t overwrite);

/* --- facts about a scene ------------------------------------------------------------------------------------------- */

struct vox_info {
  uint64_t struct_size;   /* set by the caller */
  uint32_t resolution;    /* R: voxels lie in [0, R) on each axis */
  uint32_t depth;         /* levels above the leaves of 4³ voxels */
  uint64_t voxels;        /* the number of filled voxels */
  uint64_t unique_nodes;  /* different nodes of the DAG, leaves included */
  uint64_t dag_bytes;     /* the size of these nodes */
  double origin[3];       /* the place of the lower corner of voxel (0, 0, 0) in the world */
  double voxel_size[3];   /* the sides of a voxel in the world; they can differ only in scenes from files */
  uint32_t material_bits; /* 4, or 0 without materials */
  uint32_t has_colors;    /* 1: voxels have 24-bit colors */
  uint32_t coverage;      /* VOX_CONSERVATIVE or VOX_THIN */
  uint32_t solid;         /* 1: the inside was filled */
  uint32_t up;            /* VOX_UP_X, VOX_UP_Y or VOX_UP_Z */
  uint32_t palette_count; /* entries in use */
  uint8_t palette[16][4]; /* red, green, blue and 255 for each entry */
  double shares[16];      /* the share of the surface that each entry had when the mesh was voxelized */
  char digest[40];        /* 32 hexadecimal digits that name the content */
};

/* Fills as much of `info` as info->struct_size says. */
VOX_API vox_status vox_scene_info(const vox_scene* scene, vox_info* info);

/* Returns the name of a palette entry, or "" if there is none. It is valid until the scene is changed or deleted. */
VOX_API const char* vox_scene_palette_name(const vox_scene* scene, uint32_t entry);

/* Writes statistics of a scene as a JSON object: what vox_scene_info() says, the octree's nodes for each unique one
 * ("dedup"), the box around all voxels, the levels of the octree, and the voxels of each palette entry. It takes *length
 * bytes and a final 0, and is written if `text` has room for it in its `capacity` bytes. Call it with NULL and 0 to learn
 * the length. */
VOX_API vox_status vox_scene_stats(vox_engine* engine, const vox_scene* scene, char* text, uint64_t capacity,
                                   uint64_t* length);

/* --- changing a scene ---------------------------------------------------------------------------------------------- */

/* Runs a script of vox-edit on a scene (docs/editing.md). Files that the script names as brushes are relative to `folder`,
 * or to the current folder if it is NULL. Commands that save are errors. The scene must have materials, or no
 * colors. */
VOX_API vox_status vox_scene_edit(vox_engine* engine, vox_scene* scene, const char* script,
                                  const char* folder);

/* `low` and `high` have three numbers each: a box holds the voxels in [low, high) on each axis. */

/* Removes all voxels outside of a box. */
VOX_API vox_status vox_scene_clip(vox_engine* engine, vox_scene* scene, const int64_t* low,
                                  const int64_t* high);

/* Doubles the voxels' size until the scene has this resolution. Halving the old one and rounding up must lead to it. */
VOX_API vox_status vox_scene_coarser(vox_engine* engine, vox_scene* scene, uint32_t resolution);

/* Turns the colors of a scene into materials, with a palette of at most 16. A scene without colors stays as it is. */
VOX_API vox_status vox_scene_make_palette(vox_engine* engine, vox_scene* scene);

/* --- reading voxels ------------------------------------------------------------------------------------------------ */

/* Counts the filled voxels in a box, or in the whole scene if `low` and `high` are NULL. */
VOX_API vox_status vox_scene_count(vox_engine* engine, const vox_scene* scene, const int64_t* low,
                                   const int64_t* high, uint64_t* count);

/* Writes the filled voxels of a box, or of the whole scene if `low` and `high` are NULL, in Morton order: x, y, z to
 * `coordinates`, the material (0 without materials) to `materials`, and RGB of the color or material to `colors`. Each
 * of the three may be NULL. They need room for `capacity` voxels, which must be the result of vox_scene_count(). */
VOX_API vox_status vox_scene_voxels(vox_engine* engine, const vox_scene* scene, const int64_t* low,
                                    const int64_t* high, uint64_t capacity, int32_t* coordinates,
                                    uint8_t* materials, uint8_t* colors);

enum {
  VOX_DENSE_U8 = 0,  /* a byte for each voxel: 0: empty; m + 1: material m; 1: filled, without materials */
  VOX_DENSE_U16 = 1, /* the same in two bytes */
  VOX_DENSE_RGBA = 2 /* RGB, and alpha 0 or 255; white if there are neither materials nor colors */
};

/* Writes all voxels of a box, x fastest, then y. The box must lie in the grid; `bytes` must be their size. */
VOX_API vox_status vox_scene_dense(vox_engine* engine, const vox_scene* scene, const int64_t* low,
                                   const int64_t* high, uint32_t format, void* values, uint64_t bytes);

/* --- bricks -------------------------------------------------------------------------------------------------------- */

/* Cubes of voxels, each in the form that takes the least memory (docs/formats.md, "Bricks"). */
typedef struct vox_bricks vox_bricks;

typedef struct vox_bricks_options {
  uint64_t struct_size;
  const char* types; /* the types that a brick may have, separated by commas; NULL: all */
  uint32_t side;     /* voxels along a brick's side: 4, 8, 16, … 512; 0: as many as take the least memory */
  uint32_t reserved; /* 0 */
} vox_bricks_options;

/* Makes the bricks of a scene's materials, the same that vox-convert --structure bricks writes: the value of a voxel is a
 * byte, 0: empty, m + 1: material m, 1: filled, without materials. A scene with 24-bit colors is an error. `options` may
 * be NULL. The bricks stay valid when the scene changes or is deleted. */
VOX_API vox_status vox_scene_bricks(vox_engine* engine, const vox_scene* scene,
                                    const vox_bricks_options* options, vox_bricks** bricks);
VOX_API void vox_bricks_delete(vox_bricks** bricks);

/* The attributes that the bricks have in a file, by the same names. */
typedef struct vox_bricks_attributes {
  uint64_t struct_size;   /* set by the caller */
  uint32_t size[3];       /* voxels along x, y and z */
  uint32_t brick_side;    /* voxels along a brick's side */
  double spacing[3];      /* the sides of a voxel in the world */
  double origin[3];       /* the place of the lower corner of voxel (0, 0, 0) in the world */
  uint64_t filled;        /* the number of filled voxels */
  uint32_t entry_words;   /* words of an entry of the root, 1 or 2 */
  uint32_t group_levels;  /* levels of groups of a sparse root; 0: the root is dense */
  uint32_t place_log2;    /* with groups: places are in units of 2^place_log2 words */
  uint32_t type_count;    /* the number of types that bricks may have, at most 16 */
  uint32_t allowed_types; /* bit t is set if a brick could have type t */
  uint32_t reserved;      /* 0 */
  uint64_t counts[16];    /* the number of bricks of each type in the root */
} vox_bricks_attributes;

/* Fills as much of `attributes` as attributes->struct_size says. */
VOX_API vox_status vox_bricks_describe(const vox_bricks* bricks, vox_bricks_attributes* attributes);

/* These return the name of a type of bricks, such as "dense" ("" if there is no type of this number), and the names of the
 * files that the scene was made from. They are valid as long as the bricks. */
VOX_API const char* vox_bricks_type_name(const vox_bricks* bricks, uint32_t type);
VOX_API const char* vox_bricks_source(const vox_bricks* bricks);

/* Writes the array that has this name in a file: "root", the name of a type and, with groups, "groups", "blocks0",
 * "list0" and so on. It has *count words, and is written if `words` is not NULL; `capacity` is the number of words for
 * which there is room. Call it with NULL and 0 to learn the number. */
VOX_API vox_status vox_bricks_words(const vox_bricks* bricks, const char* name, uint32_t* words,
                                    uint64_t capacity, uint64_t* count);

/* --- rays ---------------------------------------------------------------------------------------------------------- */

/* Arrays for the hits of rays, of which each may be NULL. */
typedef struct vox_hits {
  uint64_t struct_size;
  double* distances;  /* from the origin to the voxel, in units of the world; infinity: nothing is hit */
  int32_t* voxels;    /* x, y, z; -1, -1, -1: nothing is hit */
  uint8_t* materials; /* the material, 0 without materials; 255: nothing is hit */
  uint8_t* colors;    /* RGBA of the voxel's color or material; alpha 0: nothing is hit */
  int8_t* normals;    /* x, y, z: out of the face that the ray enters; 0, 0, 0 if it enters none */
} vox_hits;

/* Finds the first filled voxel that each of `count` rays hits. `origins` and `directions` have x, y, z of each ray in the
 * world; a direction may have any length but 0. A ray that begins in a filled voxel hits that one, at the distance 0.
 * Rays are traced as those of pictures: in a cube of R³ voxels (R is a power of two) a ray may be off by R² / 2^29 voxels,
 * at most half a voxel, or 4 voxels if R is 2^20. An origin more than 2^32 voxels from the grid is an error. Each call
 * copies the scene to the engine's first device, so that a call should have many rays. */
VOX_API vox_status vox_scene_rays(vox_engine* engine, const vox_scene* scene, uint64_t count,
                                  const double* origins, const double* directions, const vox_hits* hits);

/* --- pictures ------------------------------------------------------------------------------------------------------ */

enum {
  VOX_SHADE_MATERIAL = 0,
  VOX_SHADE_NORMAL = 1,
  VOX_SHADE_DEPTH = 2,
  VOX_SHADE_LEVEL = 3,
  VOX_SHADE_SHARING = 4
};

typedef struct vox_camera {
  uint64_t struct_size;
  const char* view;  /* with no eye: "iso" (or NULL), "front", "back", "left", "right", "top", "bottom" */
  const double* eye; /* x, y, z in the world; NULL: so far away in the direction of `view` that all is seen */
  const double* target; /* with an eye: the place at which it looks; NULL: the middle of the voxels */
  double fov;           /* the angle across the shorter side, in degrees; 0: 40 */
  double turn; /* degrees by which `view` is turned around the vertical axis, at most 3600; 0 with an eye */
  uint32_t samples;    /* rays for each pixel, 1 to 64; 0: 4 */
  uint32_t shade;      /* VOX_SHADE_… */
  uint32_t no_shadows; /* 1: without shadows */
  uint32_t reserved;   /* 0 */
} vox_camera;

/* Takes a picture: RGBA, top row first. `bytes` must be 4 * width * height. `camera` may be NULL. */
VOX_API vox_status vox_scene_render(vox_engine* engine, const vox_scene* scene, const vox_camera* camera,
                                    uint32_t width, uint32_t height, uint8_t* pixels, uint64_t bytes);

#ifdef __cplusplus
}
#endif

#endif
