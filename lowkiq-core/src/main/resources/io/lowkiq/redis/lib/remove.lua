-- Takes queued jobs out of the queue.

-- Removes what is left of a queued job whose payloads went elsewhere, or are no longer wanted.
local function drop(id, job)
	unplace(id, job)
	redis.call('ZREM', RETRIES, id)
	redis.call('HDEL', JOBS, id)
	redis.call('UNLINK', payloadsOf(id))
end

-- Moves a queued job with all its payloads and its error to the morgue.
local function kill(id, entry, now)
	local job = readEntry(entry)
	if job and job.kind == FIRST then
		gather(id, job, select(2, jobInPlace(id)))
	end
	if not job or job.kind == TAKEN then
		buryQueued(id, entry, now)
	elseif job.kind == MULTI then
		local from, to = payloadsOf(id), deadPayloadsOf(id)
		if redis.call('EXISTS', to) == 1 then
			redis.call('ZUNIONSTORE', to, 2, to, from, 'AGGREGATE', 'MIN')
		elseif redis.call('EXISTS', from) == 1 then
			redis.call('RENAME', from, to)
		end
		noteBurial(id, job.error, now)
	else
		bury(id, { string.sub(entry, job.body) }, { job.score }, job.error, now)
	end
	drop(id, job)
end
