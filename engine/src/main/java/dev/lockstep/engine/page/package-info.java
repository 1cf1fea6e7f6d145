/**
 * The 8 KiB page: its header, checksum and slotted record area, as it lies in memory and on disk.
 */
package dev.lockstep.engine.page;
