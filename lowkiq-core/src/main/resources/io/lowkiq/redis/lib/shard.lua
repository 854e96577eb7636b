-- The keys of one shard, its time, its meta data, and commands on many arguments.
-- KEYS is the same for every script of a shard: the key of its meta data, since each one that is told costs more than its
-- name. The names of the others follow from it; all lie under one hash tag.
--@include state
local META = KEYS[1]
assert(META and not KEYS[2], 'one key expected')
local BASE = string.sub(META, 1, -5)
local JOBS, LINE, LATER, SUSPECTS, BUSY = BASE .. 'jobs', BASE .. 'line', BASE .. 'later', BASE .. 'suspects', BASE .. 'busy'
local RETRIES, STALE, MORGUE, BURIALS = BASE .. 'retries', BASE .. 'stale', BASE .. 'morgue', BASE .. 'morgue-times'

-- The sorted sets of one id: 'p:' queued, 'd:' dead payloads.
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

-- The shard's state, as in lib/state.lua; what is changed through set() is written by save().
local NUMBERS = { 'epoch', 'stale', 'popped', 'taken', 'processed', 'seq', 'hand', 'wake', 'tail', 'top', 'failed', 'since', 'born' }
local AT_FIRST = { hand = NO_HAND, wake = NEVER, tail = NEVER, top = NEVER }
local meta, changed, lost, poppedBefore = {}, false, false, 0

-- `state` is what was read before. A shard whose state can't be read is a free one; the next lease has a new epoch.
local function load(state)
	state = state or redis.call('GET', META)
	local values = state and #state >= STATE_BYTES and { struct.unpack(STATE, state) } or {}
	local known = values[1] == STATE_KIND
	meta.paused = known and values[2] == 1
	meta.young = known and values[3] == 1 and 1 or 0
	meta.session = known and string.sub(state, STATE_BYTES + 1) or ''
	meta.others = not (known and values[4] == 0)
	lost = not known
	for i, name in ipairs(NUMBERS) do
		local value = known and values[i + 4]
		lost = lost or value ~= value
		meta[name] = value == value and value or AT_FIRST[name] or 0
	end
	poppedBefore = meta.popped
end

local function set(name, value)
	meta[name] = value
	changed = true
end

-- Without the number of entries that have left the line, nobody knows what lies where.
local function dropLost()
	if lost then
		redis.call('UNLINK', BASE .. 'ids:0', BASE .. 'ids:1')
		lost = false
	end
end

-- `others` tells whether anything may lie elsewhere than in the line, or else it is found out.
local function save(others)
	if others == nil then
		others = redis.call('EXISTS', JOBS, LATER, SUSPECTS, BUSY) > 0
	end
	if others ~= meta.others then
		meta.others = others
		changed = true
	end
	if changed then
		dropLost()
		local values = {}
		for i, name in ipairs(NUMBERS) do
			values[i] = meta[name]
		end
		redis.call('SET', META,
				struct.pack(STATE, STATE_KIND, meta.paused and 1 or 0, meta.young, meta.others and 1 or 0, unpack(values))
						.. meta.session)
		changed = false
	end
end

-- Redis refuses the first write of a script when its memory is full, unless the command can only free memory. What an
-- owner does goes on then: it is what makes room.
local function writeThoughFull()
	redis.call('PERSIST', META)
end

-- Whether the owner is to be told of a job that is due at some time; it is told once.
local function wakes(performAt)
	if meta.session ~= '' and performAt < meta.wake then
		set('wake', NEVER)
		return true
	end
	return false
end

-- Whether a call follows the one before a hand-over that its owner has not seen.
local function isOvertaken(sequence)
	return meta.hand >= 0 and sequence == meta.hand + 1
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
