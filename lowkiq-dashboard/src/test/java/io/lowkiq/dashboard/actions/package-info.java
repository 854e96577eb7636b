@NullMarked
package io.lowkiq.dashboard.actions;

import org.jspecify.annotations.NullMarked;
