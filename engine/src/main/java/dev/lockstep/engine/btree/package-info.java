/**
 * Clustered B+trees and secondary indexes, whose operations are stage machines: one node visit, one stage.
 */
package dev.lockstep.engine.btree;
