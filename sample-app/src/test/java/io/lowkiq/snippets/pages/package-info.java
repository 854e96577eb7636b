/** Builds and runs the applications that README and tutorial print, as a reader would. */
@NullMarked
package io.lowkiq.snippets.pages;

import org.jspecify.annotations.NullMarked;
