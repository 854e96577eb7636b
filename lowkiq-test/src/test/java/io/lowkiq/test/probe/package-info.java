@NullMarked
package io.lowkiq.test.probe;

import org.jspecify.annotations.NullMarked;
