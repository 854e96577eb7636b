-- Moves queued jobs with retryCount of 0 or more to the morgue, with all their payloads and their error, those with the
-- smallest retryCount first.
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 the largest number of jobs to move
-- Returns how many jobs were moved, and 1 if there is more to do.
-- Keeps: a payload is in exactly one place (I5).

--@include shard
--@include entry
--@include morgue
--@include queue
--@include sweep

assert(#ARGV == 2, 'two arguments expected')
local now = math.floor(clock(ARGV[1]))
local ids = redis.call('ZRANGE', RETRIES, 0, assert(tonumber(ARGV[2])) - 1)
checkTypes(ids)

local killed = 0
for i, entry in ipairs(fields(JOBS, ids)) do
	local id, job = ids[i], entry and readQueued(entry)
	if not entry then
		redis.call('ZREM', RETRIES, id)
	elseif not job then
		buryUnreadableQueued(id, entry, now)
	elseif job.kind == MULTI then
		buryPayloadSet(id)
		noteBurial(id, job.error, now)
		drop(id, entry)
	else
		bury(id, { string.sub(entry, job.body) }, { job.score }, job.error, now)
		drop(id, entry)
	end
	killed = killed + (entry and 1 or 0)
end
dropVoid(killed)
return { killed, redis.call('EXISTS', RETRIES) }
