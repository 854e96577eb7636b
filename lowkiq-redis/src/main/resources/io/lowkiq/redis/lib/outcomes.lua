-- What became of busy jobs (rules 4 to 6, I8).
local DONE, RETURNED, RETRY, PART, UNREADABLE, FOLLOW_UP = 0, 1, 2, 3, 4, 5

-- Reads packed outcomes: B kind, I4 length, id; of a Retry or an unreadable one: d delay (infinite for a job on hold), B
-- whether it is a suspect, I4 length, error; of a Part: B whether it counts as failed, I4 length, error, I4 length, the
-- places of what is removed, I4 length, the places of what is buried (I4 each, from 0 on); of a follow-up: d number, I4
-- length, what is enqueued.
local function readOutcomes(packed)
	local kinds, ids, details, allDone = {}, {}, {}, true
	local count, position, length = 0, 1, #packed
	while position <= length do
		count = count + 1
		kinds[count], ids[count], position = struct.unpack('>BI4c0', packed, position)
		if kinds[count] ~= DONE then
			assert(kinds[count] <= FOLLOW_UP, 'unknown outcome')
			allDone = false
		end
		if kinds[count] == RETRY or kinds[count] == UNREADABLE then
			local delay, suspect, error
			delay, suspect, error, position = struct.unpack('>dBI4c0', packed, position)
			details[count] = { delay = delay, suspect = suspect == 1, error = error }
		elseif kinds[count] == PART then
			local failed, error, gone, dead
			failed, error, gone, dead, position = struct.unpack('>BI4c0I4c0I4c0', packed, position)
			details[count] = { failed = failed == 1, error = error, gone = gone, dead = dead }
		elseif kinds[count] == FOLLOW_UP then
			local number, enqueued
			number, enqueued, position = struct.unpack('>dI4c0', packed, position)
			assert(number == number, 'not a number')
			details[count] = { number = number, enqueued = enqueued }
		end
	end
	return { kinds = kinds, ids = ids, details = details, allDone = allDone }
end

-- Removes jobs that are done. The entries that are queued behind them are given to a function.
local function finish(ids, entries, unblock, now)
	local keepsDistance = meta.policy and meta.policy.minInterval > 0
	local performed = keepsDistance and fields(BUSY, ids)
	meta.processed = meta.processed + each('HDEL', BUSY, ids)
	local rested = {}
	for i, entry in ipairs(entries) do
		if entry then
			unblock(ids[i], entry, now)
		elseif keepsDistance and performed[i] then
			rested[#rested + 1] = exact(now + meta.policy.minInterval)
			rested[#rested + 1] = ids[i]
		end
	end
	each('ZADD', DELAYED, rested)
end
