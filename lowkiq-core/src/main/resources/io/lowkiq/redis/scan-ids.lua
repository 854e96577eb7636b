-- One step over all ids of a state, in no order.
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 QUEUED, BUSY or DEAD
--       3 the cursor: 0 at first; the queued ids lie in several hashes, and it begins with the one it is of
--       4 about how many ids to look at
-- Returns the next cursor, 0 at the end, and ids. One id may come twice.
-- Keeps: writes nothing.

--@include shard
--@include entry
--@include line

assert(#ARGV == 4, 'four arguments expected')

-- Those that are in place first: a job leaves its place for 'jobs', but doesn't come back.
local sources = assert(({
	QUEUED = { indexName(0), indexName(1), JOBS }, BUSY = { BUSY }, DEAD = { MORGUE },
})[ARGV[2]], 'unknown state')
local which, cursor = string.match(ARGV[3], '^(%d):(%d+)$')
which, cursor = tonumber(which or 1), cursor or '0'
local source = assert(sources[which], 'unknown cursor')

load()
local length = redis.call('LLEN', LINE)

-- Near the head, a stretch may be performed in part.
local function isInPlace(id, value)
	local first, last = readStretch(value, length)
	return first and (first > meta.taken or findInPlace(id, first, last))
end

local found = redis.call('HSCAN', source, cursor, 'COUNT', ARGV[4])
local reply = { which .. ':' .. found[1] }
if found[1] == '0' then
	reply[1] = which < #sources and which + 1 .. ':0' or '0'
end
for i = 1, #found[2], 2 do
	if #sources == 1 or source == JOBS or isInPlace(found[2][i], found[2][i + 1]) then
		reply[#reply + 1] = found[2][i]
	end
end
if source == BUSY and cursor == '0' then
	local taken = readTakenInPlace()
	for i = 1, #taken, 2 do
		reply[#reply + 1] = taken[i]
	end
end
return reply
