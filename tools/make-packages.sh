#!/usr/bin/env bash
# Installs the required packages, builds the tools and makes Debian packages of them in dist/. On a machine
# without a GPU, VOX_CUDA=ON builds for the GPUs of others.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tools/install-packages.sh packages
cmake --preset release -DVOX_CUDA="${VOX_CUDA:-AUTO}" -DVOX_WERROR="${CI:+ON}"
cmake --build build/release -j "$(nproc)" --target packages
