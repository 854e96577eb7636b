@NullMarked
package io.lowkiq.test.recurring;

import org.jspecify.annotations.NullMarked;
