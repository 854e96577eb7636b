/** A test of an application that caches. */
@NullMarked
package io.lowkiq.test.caching;

import org.jspecify.annotations.NullMarked;
