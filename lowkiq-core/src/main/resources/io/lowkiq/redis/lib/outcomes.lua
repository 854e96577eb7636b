-- What became of busy jobs (rules 4 to 6, I8).
local DONE, RETURNED, RETRY, BURY, REJECT = 0, 1, 2, 3, 4

-- Reads packed outcomes: B kind, I4 length, id; and of a Retry, Bury or Reject: d delay, B whether it is a suspect,
-- I4 length, error, I4 length, places (I4 each, from 0 on).
local function readOutcomes(packed)
	local kinds, ids, details, allDone = {}, {}, {}, true
	local count, position, length = 0, 1, #packed
	while position <= length do
		count = count + 1
		kinds[count], ids[count], position = struct.unpack('>BI4c0', packed, position)
		if kinds[count] ~= DONE then
			assert(kinds[count] <= REJECT, 'unknown outcome')
			allDone = false
		end
		if kinds[count] >= RETRY then
			local delay, suspect, error, places
			delay, suspect, error, places, position = struct.unpack('>dBI4c0I4c0', packed, position)
			details[count] = { delay = delay, suspect = suspect == 1, error = error, places = places }
		end
	end
	return { kinds = kinds, ids = ids, details = details, allDone = allDone }
end

-- Removes jobs that are done. The entries that are queued behind them are given to a function.
local function finish(ids, entries, unblock)
	meta.processed = meta.processed + each('HDEL', BUSY, ids)
	for i, entry in ipairs(entries) do
		if entry then
			unblock(ids[i], entry)
		end
	end
end
