@NullMarked
package io.lowkiq;

import org.jspecify.annotations.NullMarked;
