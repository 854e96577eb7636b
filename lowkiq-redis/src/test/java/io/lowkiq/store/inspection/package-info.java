@NullMarked
package io.lowkiq.store.inspection;

import org.jspecify.annotations.NullMarked;
