-- Moves queued jobs to the morgue: the named ones, or failed ones, with their payloads and their error.
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 the ids, packed; or '' for jobs with retryCount of 0 or more, the smallest retryCount first
--       3 the maximum number of jobs to move if no ids are given
-- Returns how many jobs were moved, and 1 if no ids were given and there is more to do.
-- Keeps: a payload is in exactly one place (I5); the list 'ready' doesn't grow with jobs that are enqueued and killed.

--@include shard
--@include commands
--@include entry
--@include morgue
--@include queue
--@include remove

assert(#ARGV == 3, 'three arguments expected')
local now = math.floor(clock(ARGV[1]))
local ids = idsToRemove(ARGV[2], assert(tonumber(ARGV[3])))

checkTypes(ids)
redis.call('LLEN', READY)

local killed = remove(ids, fields(JOBS, ids), now, function(id, entry)
	local job = readQueued(entry)
	if not job then
		buryUnreadableQueued(id, entry, now)
	elseif job.kind == MULTI then
		buryPayloadSet(id)
		recordBurial(id, job, now)
	else
		bury(id, { string.sub(entry, job.body) }, { job.score }, job, now)
	end
end)
return { killed, ARGV[2] == '' and redis.call('EXISTS', RETRIES) or 0 }
