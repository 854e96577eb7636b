-- Queues the named jobs up from the morgue (rule 7), and wakes the owner.
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 the shard's name, for the wake-up
--       3 what the names of the sessions' channels begin with
--       4 the ids, packed
-- Returns how many jobs were moved.
-- Keeps: a payload is queued and dead at once never (I5).

--@include shard
--@include entry
--@include line
--@include morgue
--@include queue
--@include revive

assert(#ARGV == 4, 'four arguments expected')
local now = math.floor(clock(ARGV[1]))

load()
local ids = readIds(ARGV[4])
touchDeadAndQueued(ids)
local count = 0
for _, id in ipairs(ids) do
	if redis.call('HEXISTS', MORGUE, id) == 1 then
		revive(id, now)
		count = count + 1
	end
end
local wake = count > 0 and wakes(now)
save()
if wake then
	publish(ARGV[3] .. meta.session, ARGV[2])
end
return { count }
