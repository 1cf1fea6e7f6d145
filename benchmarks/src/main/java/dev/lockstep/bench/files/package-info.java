/** Commands that work on the files of a closed database. */
package dev.lockstep.bench.files;
