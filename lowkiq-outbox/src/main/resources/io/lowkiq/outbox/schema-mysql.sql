-- The jobs that transactions have enqueued. The sequence is the default score. It begins above those that Redis' clock
-- gives until the year 2248. Times are milliseconds since 1970 by the clock of the database.
CREATE TABLE IF NOT EXISTS lowkiq_outbox (
	seq BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
	prefix VARCHAR(100) NOT NULL,
	queue VARCHAR(200) NOT NULL,
	job_id VARCHAR(1024) NOT NULL,
	payload LONGBLOB NOT NULL,
	score DOUBLE,
	perform_at BIGINT,
	delay BIGINT NOT NULL,
	created_at BIGINT NOT NULL DEFAULT (timestampdiff(MICROSECOND, '1970-01-01 00:00:00', utc_timestamp(6)) DIV 1000),
	KEY lowkiq_outbox_queue (prefix, queue, seq)
) ENGINE = InnoDB AUTO_INCREMENT = 8796093022208 DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- Rows that can't be sent as they are, with the reason. Later rows of the same id wait for them.
CREATE TABLE IF NOT EXISTS lowkiq_outbox_aside (
	seq BIGINT NOT NULL PRIMARY KEY,
	prefix VARCHAR(100) NOT NULL,
	queue VARCHAR(200) NOT NULL,
	job_id VARCHAR(1024) NOT NULL,
	payload LONGBLOB NOT NULL,
	score DOUBLE,
	perform_at BIGINT,
	delay BIGINT NOT NULL,
	created_at BIGINT NOT NULL,
	reason VARCHAR(1000) NOT NULL,
	KEY lowkiq_outbox_aside_queue (prefix, queue, seq)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- Who empties the table locks the row of its key prefix, and counts its steps. The clock is that of the
-- database when a delay was last looked at.
CREATE TABLE IF NOT EXISTS lowkiq_outbox_lock (
	prefix VARCHAR(100) NOT NULL PRIMARY KEY,
	steps BIGINT NOT NULL,
	clock BIGINT NOT NULL DEFAULT (timestampdiff(MICROSECOND, '1970-01-01 00:00:00', utc_timestamp(6)) DIV 1000)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
