-- Keeps due jobs due when Redis' clock goes back, and bounds how long others gather or keep their distance.
--
-- What was due has to be told apart from what comes later and waits by the new clock, though a call looks only at a bounded
-- number of jobs. So while some are left, the shard is *moving*, and jobs that wait for a time at which others were due are
-- parked (lib/parked.lua). A job that was looked at and isn't due yet is parked, too. Thus whatever is in an index with such
-- a time was not looked at, and each call looks at the next ones. When none is left, the parked jobs get their times back.
-- A parked job that becomes due before gets its time, too, so that it is known to be due if the clock goes back again.
--@include commands
--@include parked
--@include gathering

-- Maximum number of jobs of each kind that a call looks at.
local MAX_LOOKED_AT = 1000

local WAITING = { DELAYED, SUSPECTS }

-- Adds the jobs of a sorted set with a range of scores to others. Returns whether there may be more.
local function lookAt(others, set, from, to, areParked)
	local ids = redis.call('ZRANGEBYSCORE', set, from, to, 'LIMIT', '0', exact(MAX_LOOKED_AT))
	others[#others + 1] = { set = set, ids = ids, areParked = areParked }
	return #ids == MAX_LOOKED_AT
end

-- The same for named jobs.
local function lookAtNamed(others, set, named, from, to)
	local ids = {}
	for _, id in ipairs(named) do
		local score = tonumber(redis.call('ZSCORE', set, id) or nil)
		if score and score > from and score <= to then
			ids[#ids + 1] = id
		end
	end
	others[#others + 1] = { set = set, ids = ids }
end

-- What is to be written of jobs that are looked at.
local function kept(looked, now)
	local entries, scores = {}, {}
	for i, entry in ipairs(fields(JOBS, looked.ids)) do
		local job, score = entry and readQueued(entry), now
		if job then
			local wasDue = not looked.areParked and job.performAt <= meta.clock
			boundWait(job, now)
			if wasDue then
				job.performAt, job.notBefore = now, nil
			end
			score = indexScore(job.performAt)
			entries[#entries + 1] = looked.ids[i]
			entries[#entries + 1] = writeEntry(job, string.sub(entry, job.body))
		end
		scores[#scores + 1] = exact(score)
		scores[#scores + 1] = looked.ids[i]
	end
	return { set = looked.set, entries = entries, scores = scores }
end

-- The entries of the jobs behind busy ones that were due at a time, which they are still when their id is released.
local function dueBehind(time)
	local ids, written = redis.call('HKEYS', BUSY), {}
	for i, entry in ipairs(fields(JOBS, ids)) do
		local job = entry and readQueued(entry)
		if job and job.place == IS_BLOCKED and not job.due and job.performAt <= time then
			job.due = true
			written[#written + 1] = ids[i]
			written[#written + 1] = writeEntry(job, string.sub(entry, job.body))
		end
	end
	return written
end

-- Whether a job is parked, although that may have been forgotten with the meta data.
local function isAnyParked()
	for _, set in ipairs(WAITING) do
		if #redis.call('ZRANGEBYSCORE', set, exact(PARKED), '(+inf', 'LIMIT', '0', '1') > 0 then
			return true
		end
	end
	return false
end

-- If the clock has gone back since the owner's last call, makes the jobs due now that were due then, or as many of them as a
-- call may look at, and those of the named ids in any case. Has to be called before jobs are chosen or placed. Returns the
-- time that is to be remembered as that of the last call. Reads all before it writes.
local function keepDue(now, named)
	local last, wasMoving = meta.clock, meta.moving
	if now >= last and not wasMoving then
		return now
	end
	local looked, more, left, to = {}, false, false, last + longestWait()
	for _, set in ipairs(now < last and WAITING or {}) do
		more = lookAt(looked, set, '(' .. exact(now), exact(to)) or more
	end
	for _, set in ipairs(more and named and WAITING or {}) do
		lookAtNamed(looked, set, named, now, to)
	end
	for _, set in ipairs(wasMoving and WAITING or {}) do
		left = lookAt(looked, set, exact(PARKED), more and exact(now * PARKED) or '(+inf', true) or left
	end
	if more then
		parksAfter, parksUntil = now, to
	end
	local moves, behind = {}, dueBehind(wasMoving and now or last)
	for i, some in ipairs(looked) do
		moves[i] = kept(some, now)
	end
	for _, move in ipairs(moves) do
		inChunks('HSET', JOBS, move.entries)
		inChunks('ZADD', move.set, move.scores)
	end
	inChunks('HSET', JOBS, behind)
	meta.moving = more or left
	return more and last or now
end
