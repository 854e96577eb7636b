-- Looks a job up.
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 QUEUED, BUSY or DEAD
--       3 the id
--       4 the maximum number of payloads to return
-- Returns the job as in lib/views.lua; nothing if there is none.
-- Keeps: writes nothing.

--@include keys
--@include entry
--@include views

assert(#ARGV == 4, 'four arguments expected')
local hash = assert(({ QUEUED = JOBS, BUSY = BUSY, DEAD = MORGUE })[ARGV[2]], 'unknown state')

local entry = redis.call('HGET', hash, ARGV[3])
if entry then
	addView(hash, ARGV[3], entry, assert(tonumber(ARGV[4])))
end
return views
