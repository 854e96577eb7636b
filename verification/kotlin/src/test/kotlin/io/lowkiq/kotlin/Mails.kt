package io.lowkiq.kotlin

import io.lowkiq.LowkiqWorker
import io.lowkiq.Worker
import org.springframework.context.annotation.Bean
import org.springframework.context.annotation.Configuration

// tag::kotlin[]
data class Mail(val to: String, val text: String, val urgent: Boolean = false)

@LowkiqWorker("mails")
class MailWorker(private val mailbox: Mailbox) : Worker<Mail> {

    override fun perform(id: String, payloads: List<Mail>) = payloads.forEach(mailbox::send)

}

@Configuration
class Reminders(private val mailbox: Mailbox) {

    @Bean
    @LowkiqWorker("reminders")
    fun reminderWorker() = Worker<Mail> { _, payloads -> mailbox.send(payloads.last()) }

}
// end::kotlin[]

/** Keeps what was sent. Written and read by the test's thread. */
class Mailbox {

    val sent = mutableListOf<Mail>()

    fun send(mail: Mail) {
        sent += mail
    }

}
