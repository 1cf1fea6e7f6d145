/** What durable commits make of the rate at which a disk can force. */
package dev.lockstep.bench.disk;
