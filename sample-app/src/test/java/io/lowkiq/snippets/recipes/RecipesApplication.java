package io.lowkiq.snippets.recipes;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/** Has the workers of the recipes. */
@SpringBootApplication(proxyBeanMethods = false)
class RecipesApplication {

}
