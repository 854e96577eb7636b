-- The sequence is the default score. It begins above those that Redis' clock gives until the year 2248.
CREATE TABLE IF NOT EXISTS lowkiq_outbox (
	seq BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
	queue VARCHAR(200) NOT NULL,
	job_id VARCHAR(1024) NOT NULL,
	payload LONGBLOB NOT NULL,
	score DOUBLE,
	perform_at BIGINT,
	delay BIGINT NOT NULL,
	created_at BIGINT NOT NULL
) ENGINE = InnoDB AUTO_INCREMENT = 8796093022208 DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- Who empties the table locks this row.
CREATE TABLE IF NOT EXISTS lowkiq_outbox_lock (
	id INTEGER NOT NULL PRIMARY KEY
) ENGINE = InnoDB;

INSERT IGNORE INTO lowkiq_outbox_lock (id) VALUES (1);
