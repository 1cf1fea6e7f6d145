/**
 * The 8 KiB page: its header and checksum, as they lie in memory and on disk, the windows through which files and
 * checksums see pages, and short copies. What a page holds behind its header is the business of {@code btree}.
 */
package dev.lockstep.engine.page;
