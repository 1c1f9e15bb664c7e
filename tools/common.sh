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

# build_default [targets...]: configures build/ once and builds the targets.
build_default() {
  if [[ ! -f build/build.ninja ]]; then
    cmake --preset default >build-configure.log 2>&1 ||
      { cat build-configure.log >&2; rm -f build-configure.log; die "cmake could not configure; see above"; }
    rm -f build-configure.log
  fi
  # What ccache asks for before it keeps results of precompiled headers.
  CCACHE_SLOPPINESS=pch_defines,time_macros cmake --build build -- "$@"
}
