/**
 * What experiments share to tell their user something: progress, tables of text, JSON, and the spelling of options and
 * results. Knows nothing of any one experiment.
 */
package dev.lockstep.bench.report;
