/**
 * Column types, record layouts and the order-preserving encoding of keys.
 */
package dev.lockstep.engine.type;
