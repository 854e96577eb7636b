@NullMarked
package io.lowkiq.dashboard.http;

import org.jspecify.annotations.NullMarked;
