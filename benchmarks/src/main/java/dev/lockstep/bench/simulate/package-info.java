/** Running programs under user-mode QEMU with the plugin that simulates caches: {@code ./lockstep simulate}. */
package dev.lockstep.bench.simulate;
