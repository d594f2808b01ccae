#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What compiling costs: bench/compile/run.sh [includes] [look-ups] [dispatch] [transform] [programs] [check]; see bench/README.md.
set -euo pipefail
cd "$(dirname "$0")/../.."
exec python3 bench/compile/measure.py "$@"
