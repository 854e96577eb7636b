-- The keys of one shard, its time, its meta data, and commands with many arguments.
--
-- KEYS are the same for every script of a shard, all under one hash tag; only move-follow-ups.lua has more. The last key
-- never exists: while Redis Cluster moves the slot, a call therefore always has a key that is missing, and is refused as a
-- whole (TRYAGAIN). No script ever sees half of its keys.
local SHARD_KEYS = 13
assert(#KEYS >= SHARD_KEYS, 'thirteen keys expected')
local META, JOBS, READY, DELAYED, SUSPECTS, BUSY, RETRIES, MORGUE, MORGUE_TIMES, FOLLOW_UPS, RESTING, VOID = unpack(KEYS)
local BASE = string.sub(META, 1, -5)

-- The sorted sets of one id: its queued and its dead payloads by score.
local function payloadsOf(id)
	return BASE .. 'p:' .. id
end

local function deadPayloadsOf(id)
	return BASE .. 'd:' .. id
end

-- Milliseconds since 1970 with microseconds as fraction: as given, or by Redis' own clock.
local function clock(given)
	if given ~= '' then
		return assert(tonumber(given), 'not a time')
	end
	local time = redis.call('TIME')
	return time[1] * 1000 + time[2] / 1000
end

-- A number as text that reads back as the same double. Redis itself writes numbers with 17 digits, which takes as long as a
-- command does; so scripts give it text, and a whole number is written as one.
local function exact(number)
	local isWhole = number % 1 == 0 and number > -2 ^ 53 and number < 2 ^ 53
	return string.format(isWhole and '%d' or '%.17g', number)
end

-- Maximum number of arguments of a call: Lua's stack holds at most 8,000.
local CHUNK = 4000

-- Calls a command with any number of arguments, from one of them on, in chunks. Returns the sum of the replies.
local function inChunks(command, key, arguments, first)
	local sum = 0
	for from = first or 1, #arguments, CHUNK do
		sum = sum + redis.call(command, key, unpack(arguments, from, math.min(from + CHUNK - 1, #arguments)))
	end
	return sum
end

-- HMGET of any number of fields; false for a field that is missing.
local function fields(key, names)
	if #names <= CHUNK then
		return #names > 0 and redis.call('HMGET', key, unpack(names)) or {}
	end
	local values = {}
	for from = 1, #names, CHUNK do
		for _, value in ipairs(redis.call('HMGET', key, unpack(names, from, math.min(from + CHUNK - 1, #names)))) do
			values[#values + 1] = value
		end
	end
	return values
end

-- The meta data: B form, B flags (1: paused, 2: closed, because its queue is being removed), d epoch, d seq (the last call
-- under this lease), d processed, d failed, d wake (the owner waits for jobs due before this time), d since (when the lease
-- was given), d clock (the time of the owner's last call, or of an enqueue after the clock went back), and the owner's
-- session. In the other form, the owner's gathering policy comes before the session: d debounce, d maxWait, d minInterval,
-- I4 maxPayloads, B flags (1: keep only the latest payload, 2: keep the later score of equal payloads, 4: retry now).
local FORM, META_FORMAT, META_BYTES = 5, '>BBddddddd', 58
local GATHERING_FORM, POLICY_FORMAT, POLICY_BYTES = 6, '>dddI4B', 29
local NEVER = -math.huge
local meta = {
	paused = false, epoch = 0, seq = 0, processed = 0, failed = 0, wake = NEVER, since = 0, clock = 0, session = '',
}

-- The policy packed at a position; nil if it can't be read.
local function readPolicy(packed, position)
	if #packed < position + POLICY_BYTES - 1 then
		return nil
	end
	local debounce, maxWait, minInterval, maxPayloads, flags = struct.unpack(POLICY_FORMAT, packed, position)
	if not (debounce >= 0 and maxWait >= 0 and minInterval >= 0 and flags <= 7) then
		return nil
	end
	return {
		debounce = debounce, maxWait = maxWait > 0 and maxWait or math.huge, minInterval = minInterval,
		maxPayloads = maxPayloads, keepLatest = flags % 2 == 1, equalLatest = flags % 4 >= 2, retryNow = flags >= 4,
		packed = string.sub(packed, position, position + POLICY_BYTES - 1),
	}
end

-- Reads the meta data. A shard whose meta data can't be read is free; the next lease has a new epoch.
local function readMeta()
	local packed = redis.call('GET', META)
	local form = packed and #packed >= META_BYTES and string.byte(packed)
	local policy = form == GATHERING_FORM and readPolicy(packed, META_BYTES + 1) or nil
	if form == FORM or policy then
		local _, flags, epoch, seq, processed, failed, wake, since, last = struct.unpack(META_FORMAT, packed)
		local sum = epoch + seq + processed + failed + since + last
		if sum == sum and wake == wake then
			meta.paused, meta.closed = flags % 2 == 1, flags >= 2
			meta.epoch, meta.seq, meta.processed = epoch, seq, processed
			meta.failed, meta.wake, meta.since, meta.clock = failed, wake, since, last
			meta.session = string.sub(packed, META_BYTES + 1)
			if policy then
				meta.policy, meta.session = policy, string.sub(meta.session, POLICY_BYTES + 1)
			end
		end
	end
end

local function writeMeta()
	local policy = meta.policy
	redis.call('SET', META, struct.pack(META_FORMAT, policy and GATHERING_FORM or FORM,
			(meta.paused and 1 or 0) + (meta.closed and 2 or 0), meta.epoch, meta.seq, meta.processed, meta.failed, meta.wake,
			meta.since, meta.clock) .. (policy and policy.packed or '') .. meta.session)
end
