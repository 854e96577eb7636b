-- The queued jobs. Each lies in 'jobs', or in the line itself, and has its place in exactly one of
--   line      in the order of performAt, as in lib/line.lua
--   later     id -> performAt
--   suspects  id -> performAt, of those with crashes > 0
-- and in 'retries' (id -> retryCount) if its retryCount is 0 or more. An id that leaves the line other than by being
-- fetched stays in the list; 'stale' counts how many of the id's entries, the oldest ones, are void.

-- Raises the error of a payload set that lies on another node before anything is written: a script isn't rolled back.
local function touch(id)
	redis.call('ZCARD', payloadsOf(id))
end

-- Takes a job from its place.
local function unplace(id, job)
	if not job or job.crashes > 0 then
		if redis.call('ZREM', SUSPECTS, id) == 1 then
			return
		end
	end
	if redis.call('ZREM', LATER, id) == 0 then
		forgetInPlace(id)
		redis.call('HINCRBY', STALE, id, 1)
		set('stale', meta.stale + 1)
	end
end

-- Puts a job behind those in line, in place of the queued one of the id.
local function place(id, job, old)
	if old then
		unplace(id, old)
		if old.retry >= 0 and job.retry < 0 then
			redis.call('ZREM', RETRIES, id)
		end
	end
	if job.retry >= 0 then
		redis.call('ZADD', RETRIES, job.retry, id)
	end
	redis.call('ZADD', job.crashes > 0 and SUSPECTS or LATER, exact(job.performAt), id)
end

-- Buries a queued job whose entry can't be read, with all that may belong to it (I8).
local function buryQueued(id, entry, now)
	buryRaw(id, entry, now)
	if redis.call('EXISTS', payloadsOf(id)) == 1 then
		redis.call('ZUNIONSTORE', deadPayloadsOf(id), 2, deadPayloadsOf(id), payloadsOf(id), 'AGGREGATE', 'MIN')
		redis.call('UNLINK', payloadsOf(id))
	end
end

-- Makes a job of kind FIRST one of kind MULTI: the payload that is left in the line, in an entry of it, joins the others.
local function gather(id, job, entry)
	local first = entry and readEntry(entry)
	if first and first.kind == PLAIN then
		addPayloads(payloadsOf(id), { string.sub(entry, first.body) }, { first.score })
		job.performAt = first.performAt
	end
	job.kind = MULTI
end

-- The queued job of an id with its entry, all its payloads together; one that can't be read goes to the morgue first (I8).
local function queued(id, now)
	local entry = queuedEntry(id)
	if not entry then
		return nil
	end
	local job = readEntry(entry)
	if job and job.kind == FIRST then
		gather(id, job, select(2, jobInPlace(id)))
	end
	if job and job.kind ~= TAKEN then
		return job, entry
	end
	unplace(id, nil)
	redis.call('ZREM', RETRIES, id)
	redis.call('HDEL', JOBS, id)
	buryQueued(id, entry, now)
	return nil
end

-- Puts a job into the queue with its performAt, retryCount, crashes and error, merged with what is queued for its id.
local function requeue(id, job, payloads, scores, now)
	local old, entry = queued(id, now)
	local kind, score, body = MULTI, 0, ''
	if old and old.kind ~= MULTI then
		local other = string.sub(entry, old.body)
		if #payloads == 1 and payloads[1] == other then
			scores[1] = math.min(scores[1], old.score)
		else
			addPayloads(payloadsOf(id), { other }, { old.score })
			addPayloads(payloadsOf(id), payloads, scores)
		end
	elseif old or #payloads > 1 then
		addPayloads(payloadsOf(id), payloads, scores)
	end
	if #payloads == 1 and (not old or old.kind ~= MULTI and string.sub(entry, old.body) == payloads[1]) then
		kind, score, body = SINGLE, scores[1], payloads[1]
	end
	redis.call('HSET', JOBS, id, writeEntry(kind, job, score, body))
	place(id, job, old)
end
