-- The queued jobs. 'jobs' is the truth; 'delayed', 'suspects' and 'retries' name the ids whose entries say so. The list
-- 'ready' is a hint: an id in it counts only while its entry says so, so a job leaves it by a change of its entry.
--@include commands
--@include parked
--@include gathering

-- Notes that a job leaves the list 'ready', if it is there, and its element does not.
local function leaveReady(id, place)
	if place == IS_READY then
		redis.call('HINCRBY', VOID, id, 1)
	end
end

-- Removes a queued job from the index of its place.
local function unplace(id, job)
	local index = INDEXES[job.place]
	if index then
		redis.call('ZREM', index, id)
	end
	leaveReady(id, job.place)
	if job.retry >= 0 then
		redis.call('ZREM', RETRIES, id)
	end
end

-- Writes a queued job and indexes it: blocked by its id if that is busy, else as a suspect or delayed.
local function place(id, job, body, isBusy)
	job.place = isBusy and IS_BLOCKED or job.crashes >= SUSPECT_AFTER and IS_SUSPECT or IS_DELAYED
	job.due = job.due and job.place == IS_BLOCKED
	redis.call('HSET', JOBS, id, writeEntry(job, body))
	local index = INDEXES[job.place]
	if index then
		redis.call('ZADD', index, exact(indexScore(job.performAt)), id)
	end
	-- A failed job on hold waits for a person, not for a retry
	if job.retry >= 0 and job.performAt ~= math.huge then
		redis.call('ZADD', RETRIES, job.retry, id)
	end
end

-- Takes the queued job of an id out of its index, and returns it, with its payload if there is only one; nil if there is no
-- job. An unreadable one is buried. The caller writes another job over it.
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

-- The payload with the largest score among the queued payloads of an id and others; of equal scores, the queued one. The
-- queued ones are removed.
local function latestOf(id, old, payload, payloads, scores)
	local best, bestScore = payloads[#payloads], scores[#scores]
	if old and not payload then
		local key = payloadsOf(id)
		local top = redis.call('ZREVRANGE', key, '0', '0', 'WITHSCORES')
		redis.call('UNLINK', key)
		payload, old.score = top[1], tonumber(top[2]) or NEVER
	end
	if payload and old.score >= bestScore then
		return payload, old.score
	end
	return best, bestScore
end

-- Queues a job with its performAt, retryCount, crashes and error. Its payloads are united with the queued ones; or, by the
-- owner's policy, only the latest payload is kept.
local function requeue(id, job, payloads, scores, now)
	local old, payload = takeQueued(id, now)
	if job.held then
		job.performAt, job.crashes, job.notBefore = math.huge, 0, nil
	end
	job.producers = uniteProducers(job.producers, old and old.producers)
	if meta.policy and meta.policy.keepLatest then
		job.kind, payload, job.score = SINGLE, latestOf(id, old, payload, payloads, scores)
		return place(id, job, payload, false)
	end
	if not old and #payloads == 1 or payload and #payloads == 1 and payloads[1] == payload then
		local better = keepsLarger() and math.max or math.min
		job.kind, job.score = SINGLE, old and better(old.score, scores[1]) or scores[1]
		return place(id, job, payloads[1], false)
	end
	if payload then
		addPayloads(payloadsOf(id), { payload }, { old.score })
	end
	addPayloads(payloadsOf(id), payloads, scores)
	job.kind, job.score = MULTI, 0
	place(id, job, '', false)
end

-- Makes a job due now that was busy, and so was due, although the clock may have gone back.
local function stayDue(job, now)
	job.performAt = math.min(job.performAt, now)
end

-- Applies the minimum interval to a job: it is not due before that has passed since now, when a run of its id has ended.
local function applyMinInterval(job, now)
	if meta.policy and meta.policy.minInterval > 0 then
		job.notBefore = now + meta.policy.minInterval
		job.performAt = math.max(job.performAt, job.notBefore)
	end
end

-- Makes the job that an id has blocked available, now that the id is no longer busy, perhaps because a run has ended. If
-- the job was due before, it is due now, although the clock may have gone back; if it gathers, not for longer.
local function unblock(id, entry, now, runEnded)
	local job = readQueued(entry)
	if job and job.place == IS_BLOCKED then
		boundWait(job, now)
		if job.performAt < math.huge and job.due then
			job.performAt = math.min(job.performAt, now)
		end
		if runEnded then
			applyMinInterval(job, now)
		end
		place(id, job, string.sub(entry, job.body), false)
	end
end

-- The same for an id that may have no queued job: then the id rests until its minimum interval has passed.
local function unblockQueued(id, now, runEnded)
	local entry = redis.call('HGET', JOBS, id)
	if entry then
		unblock(id, entry, now, runEnded)
	elseif runEnded and meta.policy and meta.policy.minInterval > 0 then
		redis.call('ZADD', RESTING, exact(now + meta.policy.minInterval), id)
	end
end
