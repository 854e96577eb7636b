-- The keys of one shard, its time, its meta data, and commands on many arguments.
-- KEYS are the same for every script of a shard, in this order.
local JOBS, LINE, LATER, SUSPECTS, RETRIES = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local STALE, BUSY, MORGUE, BURIALS, META = KEYS[6], KEYS[7], KEYS[8], KEYS[9], KEYS[10]
assert(META and not KEYS[11], 'ten keys expected')

-- The sorted sets of one id lie under the same hash tag: 'p:' queued, 'd:' dead payloads.
local BASE = string.sub(JOBS, 1, -5)

local function payloadsOf(id)
	return BASE .. 'p:' .. id
end

local function deadPayloadsOf(id)
	return BASE .. 'd:' .. id
end

-- Milliseconds since 1970 with microseconds as fraction: as given, or Redis' own.
local function clock(given)
	if given ~= '' then
		return assert(tonumber(given), 'not a time')
	end
	local time = redis.call('TIME')
	return time[1] * 1000 + time[2] / 1000
end

-- A number as text that reads back as the same double.
local function exact(number)
	return string.format('%.17g', number)
end

-- How many arguments a call may have; Lua's stack holds no more than 8,000.
local CHUNK = 4000

-- Calls a command on all of the arguments; the sum of the numeric answers.
local function each(command, key, arguments)
	local count, sum = #arguments, 0
	for first = 1, count, CHUNK do
		sum = sum + redis.call(command, key, unpack(arguments, first, math.min(first + CHUNK - 1, count)))
	end
	return sum
end

-- HMGET of any number of fields.
local function fields(key, names)
	local count = #names
	if count == 0 then
		return {}
	end
	if count <= CHUNK then
		return redis.call('HMGET', key, unpack(names))
	end
	local values = {}
	for first = 1, count, CHUNK do
		for _, value in ipairs(redis.call('HMGET', key, unpack(names, first, math.min(first + CHUNK - 1, count)))) do
			values[#values + 1] = value
		end
	end
	return values
end

-- The shard's meta data; what is changed through set() is written by save().
--   session   the owner; '' when the shard is free
--   epoch     of the last lease
--   seq       the last sequence number that was applied under it
--   since     when the lease was given
--   tail      the largest performAt that ever got in line
--   top       no score in the shard was ever larger
--   wake      the owner waits for jobs that are due before this; '' when it doesn't wait
--   paused    '1' or ''
--   stale     how many entries of the line are stale
--   popped    how many entries were ever removed from the head of the line
--   hand      'take' if the owner that waits takes a job that is handed over; the sequence number before that if one was
--             handed over since its last call; else ''
local meta, changed = {}, {}

-- `found` is what was read by the same command before.
local function load(found)
	found = found or redis.call('HMGET', META, 'session', 'epoch', 'seq', 'since', 'tail', 'top', 'wake', 'paused',
			'processed', 'failed', 'stale', 'popped', 'hand')
	meta.session = found[1] or ''
	meta.epoch = tonumber(found[2]) or 0
	meta.seq = tonumber(found[3]) or 0
	meta.since = tonumber(found[4]) or 0
	meta.tail = tonumber(found[5]) or -math.huge
	meta.top = tonumber(found[6]) or -math.huge
	meta.wake = tonumber(found[7])
	meta.paused = found[8] == '1'
	meta.processed = tonumber(found[9]) or 0
	meta.failed = tonumber(found[10]) or 0
	meta.stale = tonumber(found[11]) or 0
	meta.popped = tonumber(found[12]) or 0
	meta.hand = found[13] or ''
end

local function set(name, value)
	meta[name] = value
	changed[name] = true
end

local function save()
	local arguments = {}
	for name in pairs(changed) do
		local value = meta[name]
		if not value then
			value = ''
		elseif value == true then
			value = '1'
		elseif type(value) == 'number' then
			value = exact(value)
		end
		arguments[#arguments + 1] = name
		arguments[#arguments + 1] = value
	end
	if #arguments > 0 then
		redis.call('HSET', META, unpack(arguments))
	end
	changed = {}
end

-- Redis refuses the first write of a script when its memory is full, unless the command can only free memory. What an
-- owner does goes on then: it is what makes room.
local function writeThoughFull()
	redis.call('HDEL', META, 'none')
end

-- Whether the owner is to be told of a job that is due at some time; it is told once.
local function wakes(performAt)
	if meta.wake and meta.session ~= '' and performAt < meta.wake then
		set('wake', nil)
		return true
	end
	return false
end

-- Whether a call follows the one before a hand-over that its owner has not seen.
local function isOvertaken(sequence)
	local before = tonumber(meta.hand)
	return before ~= nil and sequence == before + 1
end

-- Publishes; the last thing a script does, and not its failure if it may not.
local function publish(channel, text)
	redis.pcall('PUBLISH', channel, text)
end

-- Reads packed ids: I4 length, id; each.
local function readIds(packed)
	local ids, position = {}, 1
	while position <= #packed do
		ids[#ids + 1], position = struct.unpack('>I4c0', packed, position)
	end
	return ids
end
