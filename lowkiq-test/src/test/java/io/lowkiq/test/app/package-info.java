@NullMarked
package io.lowkiq.test.app;

import org.jspecify.annotations.NullMarked;
