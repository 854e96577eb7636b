-- The queued jobs: 'jobs' is the truth; 'delayed', 'suspects' and 'retries' name the same ids as their entries do. An id in
-- the list 'ready' counts only while the entry says so: taking a job out of there is only a change of its entry.

-- A job is a suspect from so many crashes on.
local SUSPECT_AFTER = 2

-- Removes a queued job from the index of its place.
local function unplace(id, job)
	if job.place == IS_DELAYED then
		redis.call('ZREM', DELAYED, id)
	elseif job.place == IS_SUSPECT then
		redis.call('ZREM', SUSPECTS, id)
	end
	if job.retry >= 0 then
		redis.call('ZREM', RETRIES, id)
	end
end

-- Writes a queued job and indexes it: behind its id if that is busy, else as a suspect or delayed.
local function place(id, job, body, isBusy)
	job.place = isBusy and IS_BEHIND or job.crashes >= SUSPECT_AFTER and IS_SUSPECT or IS_DELAYED
	redis.call('HSET', JOBS, id, writeEntry(job, body))
	if job.place ~= IS_BEHIND then
		redis.call('ZADD', job.place == IS_DELAYED and DELAYED or SUSPECTS, exact(job.performAt), id)
	end
	if job.retry >= 0 then
		redis.call('ZADD', RETRIES, job.retry, id)
	end
end

-- Takes out the queued job of an id, with its payload if there is only one; nil if there is none. An unreadable one is
-- buried. The caller puts a job in its place.
local function takeQueued(id, now)
	local entry = redis.call('HGET', JOBS, id)
	local job = entry and readQueued(entry)
	if job then
		unplace(id, job)
		return job, job.kind == SINGLE and string.sub(entry, job.body) or nil
	elseif entry then
		buryUnreadableQueued(id, entry, now)
	end
	return nil
end

-- Queues a job with its performAt, retryCount, crashes and error, its payloads united with those that are queued.
local function requeue(id, job, payloads, scores, now, isBusy)
	local old, payload = takeQueued(id, now)
	if not old and #payloads == 1 or payload and #payloads == 1 and payloads[1] == payload then
		job.kind, job.score = SINGLE, old and math.min(old.score, scores[1]) or scores[1]
		return place(id, job, payloads[1], isBusy)
	end
	if payload then
		addPayloads(payloadsOf(id), { payload }, { old.score })
	end
	addPayloads(payloadsOf(id), payloads, scores)
	job.kind, job.score = MULTI, 0
	place(id, job, '', isBusy)
end

-- Lets the queued job of an id be fetched, which is no longer busy.
local function unblock(id, entry)
	local job = readQueued(entry)
	if job and job.place == IS_BEHIND then
		place(id, job, string.sub(entry, job.body), false)
	end
end

local function unblockQueued(id)
	local entry = redis.call('HGET', JOBS, id)
	if entry then
		unblock(id, entry)
	end
end

-- Deletes a queued job, which may be unreadable.
local function drop(id, entry)
	local job = readQueued(entry)
	if job then
		unplace(id, job)
	else
		redis.call('ZREM', DELAYED, id)
		redis.call('ZREM', SUSPECTS, id)
		redis.call('ZREM', RETRIES, id)
	end
	redis.call('HDEL', JOBS, id)
	redis.call('UNLINK', payloadsOf(id))
end
