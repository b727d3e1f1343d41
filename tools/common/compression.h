// The sizes of a scene's geometry in every form, with those that a compressor makes.
#pragma once

#include "libvox/dag/frozen_dag.h"
#include "libvox/engine/engine.h"
#include "libvox/measure/compression.h"

namespace vox {

// Counts all forms of a DAG without materials; the last one is the stream without pointers after deflate.
measure::CompressionStats compression_of(Engine& engine, const dag::FrozenDag& geometry);

}  // namespace vox
