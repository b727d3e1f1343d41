#!/usr/bin/env bash
# Installs what is needed, builds release and runs every test. VOX_CUDA=OFF leaves the GPU out.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tools/install-packages.sh
# Only CI insists on no warnings: a compiler newer than ours may warn of more.
cmake --preset release -DBUILD_TESTING=ON -DVOX_CUDA="${VOX_CUDA:-AUTO}" -DVOX_WERROR="${CI:+ON}"
cmake --build build/release -j "$(nproc)"
ctest --test-dir build/release --output-on-failure -j "$(nproc)"
