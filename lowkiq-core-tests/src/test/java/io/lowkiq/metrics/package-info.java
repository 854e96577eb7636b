@NullMarked
package io.lowkiq.metrics;

import org.jspecify.annotations.NullMarked;
