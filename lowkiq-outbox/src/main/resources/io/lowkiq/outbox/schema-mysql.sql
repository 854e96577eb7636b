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

-- Rows that can't be sent at present, found by the id. Those with a reason were put aside, because they can't be sent
-- as they are. The others wait for their queue, shard or id, or for an older row of their id.
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
	id_hash BIGINT NOT NULL,
	put_aside BOOLEAN NOT NULL,
	reason VARCHAR(1000),
	KEY lowkiq_outbox_aside_id (prefix, queue, id_hash, seq),
	KEY lowkiq_outbox_put_aside (prefix, put_aside, seq)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- Who empties the table locks the row of its key prefix, and counts how often. A version that doesn't know the format of
-- the tables sends nothing. The row keeps the highest sequence that has left the table, and where the sequence went back
-- to, if it did. The clock is that of the database when it was last looked at. Stream names the outbox for the shards
-- that remember its calls. If sent rows are kept, asked says how often these shards were asked whether they still have
-- them, kept_for how many milliseconds rows are kept, and resent how many were sent again.
CREATE TABLE IF NOT EXISTS lowkiq_outbox_lock (
	prefix VARCHAR(100) NOT NULL PRIMARY KEY,
	taken BIGINT NOT NULL,
	format INTEGER DEFAULT 1 NOT NULL,
	highest BIGINT DEFAULT 0 NOT NULL,
	back_to BIGINT,
	back_from BIGINT,
	back_at BIGINT,
	stream VARCHAR(36),
	asked BIGINT NOT NULL DEFAULT 0,
	kept_for BIGINT,
	resent BIGINT NOT NULL DEFAULT 0,
	resent_at BIGINT,
	clock BIGINT NOT NULL DEFAULT (timestampdiff(MICROSECOND, '1970-01-01 00:00:00', utc_timestamp(6)) DIV 1000)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- Rows that were sent, if lowkiq.outbox.keep-sent says so, in case Redis forgets them: by the shard that got them, with its
-- layout (generation:number), and the number of the call as the shard counts it.
CREATE TABLE IF NOT EXISTS lowkiq_outbox_sent (
	prefix VARCHAR(100) NOT NULL,
	queue VARCHAR(200) NOT NULL,
	shard VARCHAR(22) NOT NULL,
	call_number BIGINT NOT NULL,
	call_token BIGINT DEFAULT 0 NOT NULL,
	seq BIGINT NOT NULL,
	job_id VARCHAR(1024) NOT NULL,
	payload LONGBLOB NOT NULL,
	score DOUBLE,
	perform_at BIGINT,
	delay BIGINT NOT NULL,
	created_at BIGINT NOT NULL,
	sent_at BIGINT NOT NULL DEFAULT (timestampdiff(MICROSECOND, '1970-01-01 00:00:00', utc_timestamp(6)) DIV 1000),
	PRIMARY KEY (prefix, queue, shard, call_number, seq)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
