#!/bin/sh
# Compiles the C part of module native into the directory given, in the folder where JNA looks for this platform's
# libraries. Without a C compiler it says so in one sentence and succeeds: the Java part does without it.
set -eu

sources=$1
output=$2

compiler=
for candidate in "${CC:-}" cc gcc clang; do
    if [ -n "$candidate" ] && command -v "$candidate" >/dev/null 2>&1; then
        compiler=$candidate
        break
    fi
done
if [ -z "$compiler" ]; then
    echo "No C compiler was found, so Lockstep is built without its native helpers: install one (Debian and Ubuntu: apt-get install gcc libc6-dev; macOS: xcode-select --install) and build again to have them." >&2
    exit 0
fi

case "$(uname -m)" in
    x86_64 | amd64) architecture=x86-64 ;;
    aarch64 | arm64) architecture=aarch64 ;;
    *) architecture=$(uname -m) ;;
esac
case "$(uname -s)" in
    Linux) platform=linux-$architecture library=liblockstep_counters.so ;;
    Darwin) platform=darwin-$architecture library=liblockstep_counters.dylib ;;
    *)
        echo "Lockstep has no native helpers for $(uname -s); it is built without them." >&2
        exit 0
        ;;
esac

mkdir -p "$output/$platform"
target=$output/$platform/$library
if [ -f "$target" ] && [ -z "$(find "$sources" "$0" -newer "$target")" ]; then
    exit 0
fi
if ! "$compiler" -std=c11 -O2 -fPIC -shared -Wall -Wextra -Werror -o "$target.part" "$sources/lockstep_counters.c"; then
    rm -f "$target.part"
    echo "The C compiler $compiler cannot build Lockstep's native helpers; see its messages above, and install the C library's headers if they are missing (Debian and Ubuntu: apt-get install libc6-dev)." >&2
    exit 1
fi
mv "$target.part" "$target"
