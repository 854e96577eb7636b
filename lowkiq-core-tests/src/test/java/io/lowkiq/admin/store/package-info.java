@NullMarked
package io.lowkiq.admin.store;

import org.jspecify.annotations.NullMarked;
