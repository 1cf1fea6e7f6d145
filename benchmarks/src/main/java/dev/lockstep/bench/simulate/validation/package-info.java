/**
 * Is the simulator right? Its counts beside counts made by hand, beside cachegrind's, and beside its own of a second
 * run; {@link dev.lockstep.bench.simulate.validation.ValidateCommand} prints them with a verdict for each.
 */
package dev.lockstep.bench.simulate.validation;
