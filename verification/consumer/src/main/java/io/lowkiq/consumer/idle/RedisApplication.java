package io.lowkiq.consumer.idle;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;

/** An application that has Redis. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class RedisApplication {

}
