package io.lowkiq.test.recurring;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/** An application with recurring jobs. */
@SpringBootApplication
class RecurringApplication {

}
