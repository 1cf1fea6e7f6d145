/** What the jars bring, and the script that starts the program. */
package dev.lockstep.system.packaging;
