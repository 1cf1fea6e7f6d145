/** The rules of style as tests: each rule reads the whole project, and has a fixture that shows that it can fail. */
package dev.lockstep.system.style;
