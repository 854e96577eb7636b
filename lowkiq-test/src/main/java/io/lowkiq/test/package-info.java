/**
 * Tests of workers without Redis and without waiting: the jobs are in memory, and the
 * test decides when they are performed and how time passes.
 */
@NullMarked
package io.lowkiq.test;

import org.jspecify.annotations.NullMarked;
