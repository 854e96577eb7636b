@NullMarked
package io.lowkiq.test;

import org.jspecify.annotations.NullMarked;
