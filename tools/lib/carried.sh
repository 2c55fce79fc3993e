# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Packages carried to a machine without a network: packed on one that has apt, unpacked into a folder of their own.
# Sourced, after setup.sh.

# The libraries that the build needs, with their dependencies, but without the compiler and the C library, which the
# other machine has, and without MPI, whose component is left out if it is not found.
carried_packages() {
  local roots
  roots=$(packages_of run test | grep -E '^(lib|zlib|nlohmann)' | grep -vE '^lib(omp|openmpi)-dev$')
  # shellcheck disable=SC2086  # a list of words
  apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces --no-enhances $roots |
    grep -E '^(lib|zlib|nlohmann|googletest)' |
    grep -vE '^lib(c6|c-|gcc|stdc|crypt|asan|atomic|itm|lsan|tsan|ubsan|quadmath|gomp|perl|db5|gdbm|ssl|krb|k5|keyutils|gssapi|com-err|nsl|tirpc|selinux|acl|pcre|md0)' |
    sort -u
}

pack_packages() { # folder
  local folder=$1 names
  command -v apt-get >/dev/null || fail 4 "there is no apt-get here; packages are packed on Debian or Ubuntu"
  mkdir -p "$folder"
  rm -f "$folder"/*.deb
  mapfile -t names < <(carried_packages)
  (cd "$folder" && apt-get -q -o APT::Sandbox::User=root download "${names[@]}" >/dev/null) ||
    fail 4 "not all packages could be downloaded; is there a network, and was apt-get update run?"
  say "$(find "$folder" -name '*.deb' | wc -l) packages, $(du -sh "$folder" | cut -f1), in $folder"
}

unpack_one() { # package, folder
  if command -v dpkg-deb >/dev/null; then
    dpkg-deb -x "$1" "$2"
  else
    # A .deb is an ar archive; its data are in a compressed tar.
    local data
    data=$(ar t "$1" | grep '^data\.tar')
    case $data in
      *.xz) ar p "$1" "$data" | tar -xJf - -C "$2" ;;
      *.zst) ar p "$1" "$data" | tar --zstd -xf - -C "$2" ;;
      *) ar p "$1" "$data" | tar -xzf - -C "$2" ;;
    esac
  fi
}

# Absolute links, and libraries in /lib, are meant for the root of a system.
mend_links() { # folder
  local folder=$1 link target
  if [ -d "$folder/lib" ] && [ ! -L "$folder/lib" ]; then
    mkdir -p "$folder/usr/lib"
    cp -a "$folder/lib/." "$folder/usr/lib/"
    rm -rf "${folder:?}/lib"
  fi
  find "$folder" -type l | while read -r link; do
    target=$(readlink "$link")
    case $target in
      /lib/*) target=/usr$target ;;
      /*) ;;
      *) continue ;;
    esac
    if [ -e "$folder$target" ]; then ln -sfn "$folder$target" "$link"; fi
  done
}

unpack_packages() { # folder with .deb files, empty folder to fill
  local package
  for package in "$1"/*.deb; do
    [ -e "$package" ] || fail 3 "$1: there is no .deb file in it; fill it with: tools/device_check --pack DIR"
    unpack_one "$package" "$2" || fail 3 "$package: cannot be unpacked"
  done
  mend_links "$2"
}

# Sets `carried`: CMake options with which it finds the unpacked packages, even if it knows no multiarch folders.
# Exports paths that only the tools behind it need: headers that headers include, libraries that libraries need.
use_packages() { # folder
  local libraries headers
  libraries=$(dirname "$(find "$1/usr/lib" -name 'libtbb.so.*' | head -n 1)")
  headers=$1/usr/include/$(basename "$libraries")
  # shellcheck disable=SC2034  # for whoever sources this
  carried=("-DCMAKE_PREFIX_PATH=$1/usr;$libraries/cmake" "-DCMAKE_LIBRARY_PATH=$libraries" "-DCMAKE_INCLUDE_PATH=$headers")
  export CPLUS_INCLUDE_PATH=$headers:$1/usr/include${CPLUS_INCLUDE_PATH:+:$CPLUS_INCLUDE_PATH}
  export LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
}
