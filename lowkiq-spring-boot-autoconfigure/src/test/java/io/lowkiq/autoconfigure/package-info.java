@NullMarked
package io.lowkiq.autoconfigure;

import org.jspecify.annotations.NullMarked;
