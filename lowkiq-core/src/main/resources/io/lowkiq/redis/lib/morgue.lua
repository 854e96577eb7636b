-- The dead jobs: 'morgue' holds id -> (d time, B whether there is an error, error), 'morgue-times' id -> time,
-- and the payloads lie in a sorted set of the id.

local function touchDead(id)
	redis.call('ZCARD', deadPayloadsOf(id))
end

local function noteBurial(id, error, now)
	redis.call('HSET', MORGUE, id, struct.pack('>dB', now, error and 1 or 0) .. (error or ''))
	redis.call('ZADD', BURIALS, exact(now), id)
end

-- How many payloads this script buried.
local buried = 0

-- Buries payloads, merged with those of the id that are dead already.
local function bury(id, payloads, scores, error, now)
	addPayloads(deadPayloadsOf(id), payloads, scores)
	noteBurial(id, error, now)
	buried = buried + #payloads
end

-- Buries an entry that can't be read, as it is (I8).
local function buryRaw(id, entry, now)
	bury(id, { entry }, { 0 }, 'What lay in Redis for this job can not be read: ' .. #entry .. ' bytes', now)
end
