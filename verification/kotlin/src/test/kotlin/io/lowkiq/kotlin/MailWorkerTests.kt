package io.lowkiq.kotlin

import io.lowkiq.JobRequest
import io.lowkiq.LowkiqClient
import io.lowkiq.test.LowkiqTester
import io.lowkiq.test.autoconfigure.LowkiqTest
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.springframework.beans.factory.annotation.Autowired
import org.springframework.boot.autoconfigure.SpringBootApplication
import org.springframework.context.annotation.Import

@SpringBootApplication
class PostOffice

@LowkiqTest(MailWorker::class)
@Import(Mailbox::class)
class MailWorkerTests(
    @param:Autowired private val client: LowkiqClient,
    @param:Autowired private val lowkiq: LowkiqTester,
    @param:Autowired private val mailbox: Mailbox,
) {

    @Test
    fun `mails that wait together are sent in order, with their defaults`() {
        client.enqueue(MailWorker::class.java, JobRequest.of("ann", Mail("ann", "second", urgent = true)).score(2.0))
        client.enqueue(MailWorker::class.java, JobRequest.of("ann", Mail("ann", "first")).score(1.0))
        lowkiq.queue("mails").let { mails ->
            assertThat(mails.payloads("ann", Mail::class.java))
                .containsExactly(Mail("ann", "first", urgent = false), Mail("ann", "second", urgent = true))
        }

        lowkiq.drain()

        assertThat(mailbox.sent).containsExactly(Mail("ann", "first"), Mail("ann", "second", urgent = true))
        assertThat(lowkiq.counts("mails").performs()).isEqualTo(1)
    }

}
