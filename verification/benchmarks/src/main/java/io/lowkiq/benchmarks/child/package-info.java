/**
 * The processes that are measured: Lowkiq as an application has it, doing what the
 * scenario asks for and printing marks and results.
 */
@NullMarked
package io.lowkiq.benchmarks.child;

import org.jspecify.annotations.NullMarked;
