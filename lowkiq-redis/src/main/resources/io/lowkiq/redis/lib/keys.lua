-- The keys of one shard, and its time. A script that changes anything includes shard.
--
-- KEYS are the same for every script of a shard, all under one hash tag; a few scripts have more. The last key
-- never exists: while Redis Cluster moves the slot, a call therefore always has a key that is missing, and is refused as a
-- whole (TRYAGAIN). No script ever sees half of its keys.
local SHARD_KEYS = 14
assert(#KEYS >= SHARD_KEYS, 'fourteen keys expected')
local META, JOBS, READY, DELAYED, SUSPECTS, BUSY, RETRIES, MORGUE, MORGUE_TIMES, FOLLOW_UPS, RESTING, VOID, TURNS = unpack(KEYS)
local BASE = string.sub(META, 1, -5)

-- A time before every other.
local NEVER = -math.huge

-- Milliseconds since 1970 with microseconds as fraction: as given, or by Redis' own clock.
local function clock(given)
	if given ~= '' then
		return assert(tonumber(given), 'not a time')
	end
	local time = redis.call('TIME')
	return time[1] * 1000 + time[2] / 1000
end
