/** What the jars bring. */
package dev.lockstep.system.packaging;
