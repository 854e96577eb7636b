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

-- The latest of payloads and of those that are queued; these are removed.
local function latestOf(id, old, payload, payloads, scores)
	local best, bestScore = payloads[#payloads], scores[#scores]
	if old and not payload then
		local key = payloadsOf(id)
		local top = redis.call('ZREVRANGE', key, '0', '0', 'WITHSCORES')
		redis.call('UNLINK', key)
		payload, old.score = top[1], tonumber(top[2]) or NEVER
	end
	if payload and old.score > bestScore then
		return payload, old.score
	end
	return best, bestScore
end

-- Queues a job with its performAt, retryCount, crashes and error, its payloads united with those that are queued; or only
-- the latest one, if the owner wants it.
local function requeue(id, job, payloads, scores, now, isBusy)
	local old, payload = takeQueued(id, now)
	if old and old.performAt == math.huge then
		-- Put on hold while the id was busy
		job.performAt, job.crashes = math.huge, 0
	end
	job.producers = uniteProducers(job.producers, old and old.producers)
	if meta.policy and meta.policy.keepLatest then
		job.kind, payload, job.score = SINGLE, latestOf(id, old, payload, payloads, scores)
		return place(id, job, payload, isBusy)
	end
	if not old and #payloads == 1 or payload and #payloads == 1 and payloads[1] == payload then
		local better = latest() and math.max or math.min
		job.kind, job.score = SINGLE, old and better(old.score, scores[1]) or scores[1]
		return place(id, job, payloads[1], isBusy)
	end
	if payload then
		addPayloads(payloadsOf(id), { payload }, { old.score })
	end
	addPayloads(payloadsOf(id), payloads, scores)
	job.kind, job.score = MULTI, 0
	place(id, job, '', isBusy)
end

-- Lets a job keep its distance from a perform that has ended.
local function keepDistance(job, now)
	if meta.policy and meta.policy.minInterval > 0 then
		job.notBefore = now + meta.policy.minInterval
		job.performAt = math.max(job.performAt, job.notBefore)
	end
end

-- Lets the queued job of an id be fetched, which is no longer busy. Given the time, it was performed then.
local function unblock(id, entry, now)
	local job = readQueued(entry)
	if job and job.place == IS_BEHIND then
		if now then
			keepDistance(job, now)
		end
		place(id, job, string.sub(entry, job.body), false)
	end
end

-- The same of an id that may have no queued job: then it is remembered among the delayed ones, until the next job of the id
-- may be performed.
local function unblockQueued(id, now)
	local entry = redis.call('HGET', JOBS, id)
	if entry then
		unblock(id, entry, now)
	elseif now and meta.policy and meta.policy.minInterval > 0 then
		redis.call('ZADD', DELAYED, exact(now + meta.policy.minInterval), id)
	end
end
