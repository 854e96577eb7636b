-- Keeping the list 'ready' from growing with void elements.
--@include ready

-- If most of the list is void, drops some elements at its head. The jobs among them become delayed, and stay due, although
-- the clock may have gone back.
local function sweepReady(most, now)
	if redis.call('LLEN', READY) <= 2 * redis.call('HLEN', JOBS) + 1000 then
		return
	end
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
	sweepReady(math.max(10, 2 * deleted), now)
end
