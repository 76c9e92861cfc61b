#!/usr/bin/env bash
# Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0
# Packs Transload with a Java runtime of its own, for a GPU machine that has neither JDK nor Maven.
# Usage: scripts/gpu/pack.sh [--beside CHECKOUT] [--jucx JAR] OUT.tar.xz [TRACE.jsonl...]
# Needs JAVA_HOME or a JDK 17 or newer on the PATH, Maven, a C compiler, xz. There: tar xf, then scripts/gpu/check-2.sh.
# With --beside the build of an older CHECKOUT goes into the folder older, for check-1.sh --beside; what both builds have
# in common is packed once. With --jucx that jar takes the place of the build's jucx: 1.18.1 for the UCX of ucx.sh.
set -euo pipefail

older= jucx=
[[ ${1:-} != --beside ]] || { older=$(realpath "${2:?}"); shift 2; }
[[ ${1:-} != --jucx ]] || { jucx=$(realpath -e "${2:?}"); shift 2; }
(($# >= 1)) || { sed -n 's/^# \(Usage\)/\1/p' "$0" >&2; exit 2; }
out=$(realpath "$1")
shift
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$root/transload" transports > /dev/null
(cd "$root" && mvn -B -q -Dmaven.test.skip=true -Dcheckstyle.skip -pl examples,capi -am package)
jdk=${JAVA_HOME:+$JAVA_HOME/bin/}
"$root/scripts/runtime" "$work/transload/jre"
cd "$root"
mkdir -p "$work/transload/traces"
cp --parents -r transload LICENSE THIRD-PARTY.md data scripts/gpu cli/target/lib cli/target/built \
    transport-nvlink-jni/src/main/cuda transport-nvlink-jni/src/test/cuda transport-nvlink-jni/target/emulator \
    transport-nvlink-jni/src/main/resources examples/pytorch examples/target/classes capi/target/transload/native \
    capi/target/transload/jars python/src python/tests "$work/transload"
if [[ -n $jucx ]]; then
    rm "$work"/transload/cli/target/lib/jucx-*.jar
    cp "$jucx" "$work/transload/cli/target/lib"
fi
find "$work/transload/python" -name __pycache__ -prune -exec rm -rf {} +
# Jars of the C library that are those of the command line travel once.
for jar in "$work"/transload/capi/target/transload/jars/*.jar; do
    ! cmp -s "$jar" "cli/target/lib/${jar##*/}" || ln -sf "../../../../cli/target/lib/${jar##*/}" "$jar"
done
(($# == 0)) || cp "$@" "$work/transload/traces"
# The scenarios that check.sh plays; nothing else of the tests travels.
tests=transport-nvlink-jni/src/test/java
"${jdk}javac" --release 17 -proc:none -cp 'cli/target/lib/*' -sourcepath "$tests" \
    -d "$work/transload/transport-nvlink-jni/target/test-classes" \
    "$tests"/dev/transload/transport/nvlink/ScenarioMain.java
if [[ -n $older ]]; then
    "$older/transload" transports > /dev/null
    mkdir "$work/transload/older"
    (cd "$older" && cp --parents -r transload data cli/target/lib cli/target/classes cli/target/built \
        transport-nvlink-jni/target/emulator "$work/transload/older")
    for jar in "$work"/transload/older/cli/target/lib/*.jar; do
        own=$work/transload/cli/target/lib/${jar##*/}
        ! cmp -s "$jar" "$own" || ln -sf "../../../../cli/target/lib/${jar##*/}" "$jar"
    done
fi
tar -C "$work" -cJf "$out" transload
printf '%s: %s\n' "$out" "$(du -h "$out" | cut -f 1)"
