/** Calls the workers, and decides the results of the jobs. */
@NullMarked
package io.lowkiq.engine.perform;

import org.jspecify.annotations.NullMarked;
