/** The code of the recipes, and the tests that prove them. */
@NullMarked
package io.lowkiq.snippets.recipes;

import org.jspecify.annotations.NullMarked;
