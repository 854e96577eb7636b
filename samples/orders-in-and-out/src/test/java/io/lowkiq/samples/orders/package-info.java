@NullMarked
package io.lowkiq.samples.orders;

import org.jspecify.annotations.NullMarked;
