-- Deletes the named jobs from the morgue.
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 the ids, packed
-- Returns how many jobs were deleted.
-- Keeps: 'morgue', 'morgue-times' and the payload sets name the same ids.

--@include shard
--@include entry
--@include morgue
--@include queue
--@include revive

assert(#ARGV == 2, 'two arguments expected')

local ids = readIds(ARGV[2])
for _, id in ipairs(ids) do
	touchDead(id)
end
local count = 0
for _, id in ipairs(ids) do
	if redis.call('HEXISTS', MORGUE, id) == 1 then
		forget(id)
		count = count + 1
	end
end
return { count }
