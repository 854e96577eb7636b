-- Keeping the list 'ready', and those of groups, from growing with void elements.
--@include commands
--@include entry
--@include ready
--@include mostly-void

-- Drops some elements at the head of a list that is mostly void. The jobs among them become delayed, and stay due, although
-- the clock may have gone back. Those of the list of a group become due now, so that they don't come back to its head.
local function sweepReady(most, now, group)
	local limit = math.min(most, 1000)
	local ready, entries, times = firstOf(group or READY, limit, limit + MAX_VOID, nothingPassed()), {}, {}
	while ready.id and ready.read < limit do
		local job, time = readQueued(ready.entry), group and now or math.min(ready.time, now)
		if job then
			job.place, job.performAt = IS_DELAYED, group and now or math.min(job.performAt, now)
			entries[#entries + 1] = ready.id
			entries[#entries + 1] = writeEntry(job, string.sub(ready.entry, job.body))
		end
		times[#times + 1] = exact(time)
		times[#times + 1] = ready.id
		nextReady(ready)
	end
	inChunks('ZADD', DELAYED, times)
	inChunks('HSET', JOBS, entries)
	trimOnly(ready)
end

-- Drops void elements at the head of the list after jobs were deleted. Not if the list is an inbox: the void elements of an id
-- that are counted come first in the list of its group.
local function dropVoid(deleted, now)
	if redis.call('EXISTS', TURNS) == 0 then
		trimOnly(firstReady(100))
	end
	if isMostlyVoid(redis.call('LLEN', READY)) then
		sweepReady(math.max(10, 2 * deleted), now)
	end
end
