#!/bin/sh
# Compiles the C part of module native into the directory given, in the folder where JNA looks for this platform's
# libraries:
#   lockstep_counters   the files of the source directory itself: counters, pinning, marks
#   lockstep_simulator  simulator/: the plugin for user-mode QEMU; Linux only
#   lockstep_agent      agent/: the JVMTI agent; Linux only
# Without a C compiler, or the headers that one needs, it says so in one sentence and succeeds: the Java part does
# without them.
#
# Usage: build-native.sh SOURCES OUTPUT [JAVA_HOME]
set -eu

sources=$1
output=$2
java_home=${3:-}

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
    Linux) platform=linux-$architecture suffix=so ;;
    Darwin) platform=darwin-$architecture suffix=dylib ;;
    *)
        echo "Lockstep has no native helpers for $(uname -s); it is built without them." >&2
        exit 0
        ;;
esac
mkdir -p "$output/$platform"

headers_missing=

# first_error MESSAGES: of a compiler's messages, what the first error is.
first_error() {
    printf '%s\n' "$1" | sed -n 's/^.*error: //p' | head -n 1
}

# build NAME DIRECTORY OPTION...: makes one library of the C files of a directory, unless it is newer than they are.
build() {
    target=$output/$platform/lib$1.$suffix
    directory=$2
    shift 2
    set -- "$@" "$directory"/*.c
    for last; do :; done
    # The pattern itself is left where no file fits.
    if [ ! -f "$last" ]; then
        rm -f "$target"
        return 0
    fi
    # The directory is newer than the library when a file of it was added or removed.
    if [ -f "$target" ] && [ -z "$(find "$directory" "$sources"/*.h "$0" -newer "$target")" ]; then
        return 0
    fi
    # Preprocessing alone fails for nothing but a header that is not there.
    if ! complaint=$("$compiler" -std=gnu11 -I "$sources" -E "$@" 2>&1 >/dev/null); then
        rm -f "$target"
        if [ -z "$headers_missing" ]; then
            headers_missing=yes
            echo "The C compiler $compiler lacks headers ($(first_error "$complaint")), so Lockstep is built without the native helpers that need them: install the C library's headers (Debian and Ubuntu: apt-get install libc6-dev) and build again to have them." >&2
        fi
        return 0
    fi
    if ! "$compiler" -std=gnu11 -fPIC -shared -pthread -Wall -Wextra -Werror -I "$sources" -o "$target.part" "$@" \
        $libraries; then
        rm -f "$target.part"
        echo "The C compiler $compiler cannot build Lockstep's native helpers; see its messages above." >&2
        exit 1
    fi
    mv "$target.part" "$target"
}

# Prints the directory of jvmti.h, if there is one: it comes with every JDK.
find_jvmti() {
    for home in "$java_home" "${JAVA_HOME:-}" "$(running_java_home)"; do
        if [ -n "$home" ] && [ -f "$home/include/jvmti.h" ]; then
            printf '%s\n' "$home/include"
            break
        fi
    done
}

running_java_home() {
    if command -v java >/dev/null 2>&1; then
        java -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java\.home = //p'
    fi
}

case $suffix in
    # dlopen is in a library of its own before glibc 2.34.
    so) libraries="-ldl -lm" ;;
    *) libraries= ;;
esac
build lockstep_counters "$sources" -O2

if [ "$suffix" = so ]; then
    build lockstep_simulator "$sources/simulator" -O3
    if [ -d "$sources/agent" ]; then
        jvmti=$(find_jvmti)
        if [ -n "$jvmti" ]; then
            build lockstep_agent "$sources/agent" -O2 "-I$jvmti" "-I$jvmti/linux"
        else
            echo "No JDK with include/jvmti.h was found, so Lockstep is built without its agent for compiled code: set JAVA_HOME to a JDK and build again to have it." >&2
        fi
    fi
fi
