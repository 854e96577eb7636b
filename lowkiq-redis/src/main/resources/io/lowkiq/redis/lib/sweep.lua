-- Keeping the list 'ready' from growing with void elements.
--@include commands
--@include entry
--@include ready
--@include mostly-void

-- Drops some elements at the head of a list that is mostly void. The jobs among them become delayed, and stay due, although
-- the clock may have gone back.
local function sweepReady(most, now)
	local limit = math.min(most, 1000)
	local ready, entries, times = firstReady(limit), {}, {}
	while ready.id and ready.read < limit do
		local job = readQueued(ready.entry)
		if job then
			job.place, job.performAt = IS_DELAYED, math.min(job.performAt, now)
			entries[#entries + 1] = ready.id
			entries[#entries + 1] = writeEntry(job, string.sub(ready.entry, job.body))
		end
		times[#times + 1] = exact(math.min(ready.time, now))
		times[#times + 1] = ready.id
		nextReady(ready)
	end
	inChunks('ZADD', DELAYED, times)
	inChunks('HSET', JOBS, entries)
	trimReady(ready.read, ready.void)
end

-- Drops void elements at the head of the list after jobs were deleted.
local function dropVoid(deleted, now)
	local ready = firstReady(100)
	trimReady(ready.read, ready.void)
	if isMostlyVoid(redis.call('LLEN', READY)) then
		sweepReady(math.max(10, 2 * deleted), now)
	end
end
