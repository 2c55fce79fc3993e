# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154  # root is set by whoever sources this
# Shared by the scripts in tools/ and .ci/; sourced, not run. Expects `root`, the folder of the project.

say() { printf '%s\n' "$*"; }
fail() { # exit code, sentence
  local code=$1
  shift
  printf 'error: %s\n' "$*" >&2
  exit "$code"
}

packages_of() { # pieces: run, test
  local piece
  for piece in "$@"; do
    awk -v piece="$piece" '$1 == piece { print $2 }' "$root/tools/packages"
  done
}

missing_of() { # packages
  local package
  for package in "$@"; do
    # A virtual package has no status of its own, so ask what is installed under that name.
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || printf '%s ' "$package"
  done
}

# Installs what is missing and prints it; changes nothing if nothing is missing.
install_packages() { # pieces
  local wanted missing as_root
  wanted=$(packages_of "$@" | tr '\n' ' ')
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    say "No apt here, so nothing is installed; this is what the build needs, by its Debian names: $wanted"
    return 0
  fi
  # shellcheck disable=SC2086  # lists of words
  missing=$(missing_of $wanted)
  [ -n "$missing" ] || return 0
  if [ "$(id -u)" -eq 0 ]; then
    as_root=(env DEBIAN_FRONTEND=noninteractive)
  elif command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
    as_root=(sudo env DEBIAN_FRONTEND=noninteractive)
  else
    say "These packages are missing, and installing them takes root. Run this line, then start again:"
    say "  apt-get update && apt-get install -y --no-install-recommends ${missing% }"
    exit 4
  fi
  say "Installing: ${missing% }"
  "${as_root[@]}" apt-get -q update </dev/null ||
    fail 4 "apt-get update failed; look at the network and at /etc/apt"
  # shellcheck disable=SC2086
  "${as_root[@]}" apt-get -q install -y --no-install-recommends $missing </dev/null ||
    fail 4 "apt-get could not install: ${missing% }"
}

check_tools() {
  command -v cmake >/dev/null || fail 4 "there is no cmake; 3.25 or newer is needed"
  local version
  version=$(cmake --version | awk 'NR == 1 { print $3 }')
  printf '3.25\n%s\n' "$version" | sort -V -C ||
    fail 4 "CMake 3.25 or newer is needed, and this is $version; Debian 12 and Ubuntu 24.04 have a newer one"
}

processors() { getconf _NPROCESSORS_ONLN; }

# CMake options for a compiler cache, if there is one. A folder that was configured before keeps its setting: a cache
# that was installed meanwhile would change every command, and everything would be compiled again.
launcher() { # build folder
  if [ ! -e "$1/CMakeCache.txt" ] && command -v ccache >/dev/null; then
    printf '%s' "-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"
  fi
}

# Compilers of other releases may warn about more than those that changes are tried with: that is no error.
tell_warnings() { # log file of a build
  local count
  count=$(grep -c 'warning:' "$1" || true)
  [ "$count" -eq 0 ] || say "The compiler gave $count warnings, which do no harm; they are in $1."
}

quietly() { # log file, command: its output is shown only when it fails
  local log=$1 status=0
  shift
  "$@" >"$log" 2>&1 </dev/null || status=$?
  if [ "$status" -ne 0 ]; then
    tail -n 60 "$log" >&2
    fail "$status" "this failed: $* (all of its output is in $log)"
  fi
}
