@NullMarked
package io.lowkiq.benchmarks.child;

import org.jspecify.annotations.NullMarked;
