-- One step over all ids of a state, in no order.
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 QUEUED, BUSY or DEAD
--       3 the cursor: 0 at first
--       4 about how many ids to look at
-- Returns the next cursor, 0 at the end, and ids. One id may come twice.
-- Keeps: writes nothing.

--@include shard

assert(#ARGV == 4, 'four arguments expected')
local source = assert(({ QUEUED = JOBS, BUSY = BUSY, DEAD = MORGUE })[ARGV[2]], 'unknown state')

local found = redis.call('HSCAN', source, ARGV[3], 'COUNT', ARGV[4])
local reply = { found[1] }
for i = 1, #found[2], 2 do
	reply[#reply + 1] = found[2][i]
end
return reply
