# Shared by tools/quickstart and tools/test: steps with a headline and a clock,
# and the default build. Sourced, not run.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

step_number=0
# step "what": a headline with the time since the start.
step() {
  step_number=$((step_number + 1))
  printf '\n== %d. %s (%d s)\n' "$step_number" "$1" "$SECONDS"
}

die() {
  printf '%s: %s\n' "$(basename "$0")" "$1" >&2
  exit 1
}

# Where a compiler cache holds nothing yet, precompiled headers make the first build shorter.
first_build() {
  ! command -v ccache >/dev/null || [[ $(ccache --print-stats 2>/dev/null | awk '$1 == "files_in_cache" {print $2}') == 0 ]]
}

# build_default [targets...]: configures build/ once and builds the targets.
build_default() {
  if [[ ! -f build/build.ninja ]]; then
    cmake --preset default -DLOSSGRAD_PRECOMPILED_HEADERS="$(first_build && echo ON || echo OFF)" >build-configure.log 2>&1 ||
      { cat build-configure.log >&2; rm -f build-configure.log; die "cmake could not configure; see above"; }
    rm -f build-configure.log
  fi
  # What ccache asks for before it keeps results of precompiled headers.
  CCACHE_SLOPPINESS=pch_defines,time_macros cmake --build build -- "$@"
}
