/** Annotations and auto-configuration for Spring tests of workers. */
@NullMarked
package io.lowkiq.test.autoconfigure;

import org.jspecify.annotations.NullMarked;
