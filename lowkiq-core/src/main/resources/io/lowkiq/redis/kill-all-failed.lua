-- Moves queued jobs with retryCount of 0 or more to the morgue, those with the smallest retryCount first.
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 the most jobs to move
-- Returns how many jobs were moved, and 1 if there is more to do.
-- Keeps: a job lies in exactly one place (I5).

--@include shard
--@include entry
--@include line
--@include morgue
--@include queue
--@include remove

assert(#ARGV == 2, 'two arguments expected')
local now = math.floor(clock(ARGV[1]))
local limit = assert(tonumber(ARGV[2]))

load()
local ids = redis.call('ZRANGEBYSCORE', RETRIES, '-inf', '+inf', 'LIMIT', 0, limit)
for _, id in ipairs(ids) do
	touch(id)
	touchDead(id)
end
for i, entry in ipairs(fields(JOBS, ids)) do
	if entry then
		kill(ids[i], entry, now)
	else
		redis.call('ZREM', RETRIES, ids[i])
	end
end
save()
return { #ids, redis.call('EXISTS', RETRIES) }
