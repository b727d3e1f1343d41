/* The same as main.cpp in C: a mesh in memory becomes voxels, in which a hole is made. The voxels are counted in this
 * program's own memory.
 *
 *   build/example/example_c && vox-render example_c.h5
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <vox.h>

static int32_t show(void* user, const char* what, double share) {
  (void)user;
  fprintf(stderr, "\r%s: %3.0f %%", what, 100 * share);
  return 0; /* another number would end the call */
}

/* Counts the voxels of each material in a box. */
static vox_status count_materials(vox_engine* engine, const vox_scene* scene) {
  const int64_t low[3] = {0, 0, 0}, high[3] = {256, 256, 256};
  const uint64_t bytes = 256u * 256 * 256;
  uint64_t counts[17] = {0};
  uint8_t* voxels = malloc(bytes);
  if (voxels == NULL) return VOX_NO_MEMORY;
  const vox_status status = vox_scene_dense(engine, scene, low, high, VOX_DENSE_U8, voxels, bytes);
  if (status == VOX_OK) {
    for (uint64_t i = 0; i < bytes; ++i) ++counts[voxels[i]];
    printf("in one corner: %llu empty, %llu brick, %llu moss\n", (unsigned long long)counts[0],
           (unsigned long long)counts[1], (unsigned long long)counts[2]);
  }
  free(voxels);
  return status;
}

int main(void) {
  static const float positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  static const uint32_t triangles[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3}, material_of[] = {0, 0, 0, 1};
  const vox_material materials[] = {
      {.struct_size = sizeof(vox_material), .name = "brick", .base_color = {0.6f, 0.1f, 0.05f, 1}},
      {.struct_size = sizeof(vox_material), .name = "moss", .base_color = {0.1f, 0.3f, 0.05f, 1}}};
  const vox_mesh_arrays arrays = {.struct_size = sizeof arrays,
                                  .vertices = 4,
                                  .triangles = 4,
                                  .positions = positions,
                                  .indices = triangles,
                                  .material_of = material_of,
                                  .materials = materials,
                                  .material_count = 2};
  const vox_voxelize_options options = {.struct_size = sizeof options,
                                        .resolution = 512,
                                        .solid = VOX_SOLID,
                                        .materials = VOX_MATERIALS_NUMBERS};
  vox_engine* engine = NULL;
  vox_mesh* mesh = NULL;
  vox_scene* scene = NULL;
  vox_info info = {.struct_size = sizeof info};

  const int failed = vox_engine_create(NULL, &engine) || vox_engine_set_progress(engine, show, NULL) ||
                     vox_mesh_create(&arrays, &mesh) || vox_voxelize(engine, mesh, &options, &scene) ||
                     vox_scene_edit(engine, scene, "sphere remove center 150,150,150 radius 100", NULL) ||
                     vox_scene_info(scene, &info) || count_materials(engine, scene) ||
                     vox_scene_save(engine, scene, "example_c.h5", VOX_KEEP_OTHER_FILES);
  fprintf(stderr, "\n");
  if (failed)
    fprintf(stderr, "example_c: error: %s\n", vox_error_message());
  else
    printf("example_c.h5: %llu voxels on %s\n", (unsigned long long)info.voxels, vox_engine_device(engine));
  vox_scene_delete(&scene);
  vox_mesh_delete(&mesh);
  vox_engine_delete(&engine);
  return failed ? 1 : 0;
}
