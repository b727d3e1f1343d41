#!/usr/bin/env bash
# Installs the required packages, builds release and runs every test. VOX_CUDA=OFF leaves the GPU out.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tools/install-packages.sh
# Warnings are errors only in CI, because a newer compiler than ours may have more warnings.
cmake --preset release -DBUILD_TESTING=ON -DVOX_CUDA="${VOX_CUDA:-AUTO}" -DVOX_WERROR="${CI:+ON}"
cmake --build build/release -j "$(nproc)"
ctest --test-dir build/release --output-on-failure -j "$(nproc)"
