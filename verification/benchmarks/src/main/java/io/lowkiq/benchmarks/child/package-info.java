/**
 * The measured processes: Lowkiq as an application has it, doing the work of the scenario
 * and printing marks and results.
 */
@NullMarked
package io.lowkiq.benchmarks.child;

import org.jspecify.annotations.NullMarked;
