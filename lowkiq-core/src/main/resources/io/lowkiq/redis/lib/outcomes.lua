-- What becomes of busy jobs (rules 4 to 6, I8).
local DONE, RETURNED, RETRY, BURY, REJECT = 0, 1, 2, 3, 4

-- Reads packed outcomes: B kind, I4 length, id; and of a Retry, Bury or Reject: d delay, B whether it is a suspect,
-- I4 length, error, I4 length, places (I4 each, from 0 on).
local function readOutcomes(packed)
	local kinds, ids, details = {}, {}, {}
	local count, position, length = 0, 1, #packed
	while position <= length do
		count = count + 1
		kinds[count], ids[count], position = struct.unpack('>BI4c0', packed, position)
		if kinds[count] >= RETRY then
			local delay, suspect, error, places
			delay, suspect, error, places, position = struct.unpack('>dBI4c0I4c0', packed, position)
			details[count] = { delay = delay, suspect = suspect == 1, error = error, places = places }
		end
		assert(kinds[count] <= REJECT, 'unknown outcome')
	end
	return { kinds = kinds, ids = ids, details = details }
end

-- Checks what applying the outcomes will need. A Done one needs nothing.
local function checkOutcomes(outcomes)
	local ids = {}
	for i, kind in ipairs(outcomes.kinds) do
		if kind ~= DONE then
			ids[#ids + 1] = outcomes.ids[i]
		end
	end
	if #ids > 0 then
		checkTypes(ids)
	end
end

-- Splits payloads into those at some places and the others.
local function split(packedPlaces, payloads, scores)
	local chosen, out, outScores, rest, restScores = {}, {}, {}, {}, {}
	for position = 1, #packedPlaces, 4 do
		chosen[struct.unpack('>I4', packedPlaces, position) + 1] = true
	end
	for i, payload in ipairs(payloads) do
		local to, toScores = rest, restScores
		if chosen[i] then
			to, toScores = out, outScores
		end
		to[#to + 1], toScores[#toScores + 1] = payload, scores[i]
	end
	return out, outScores, rest, restScores
end

local function applyOutcome(kind, id, detail, now)
	local entry = redis.call('HGET', BUSY, id)
	if not entry then
		return
	end
	redis.call('HDEL', BUSY, id)
	if kind == RETRY or kind == BURY then
		meta.failed = meta.failed + 1
	end
	local job, payloads, scores = readBusy(entry)
	if not job then
		buryUnreadable(id, entry, now)
		unblock({ id })
	elseif kind == RETURNED then
		requeue(id, job, payloads, scores, now)
	elseif kind == RETRY then
		job.performAt, job.retry, job.error = now + detail.delay, job.retry + 1, detail.error
		job.crashes = detail.suspect and math.max(job.crashes + 1, SUSPECT_AFTER) or 0
		requeue(id, job, payloads, scores, now)
	else
		local out, outScores, rest, restScores = split(kind == BURY and '\0\0\0\0' or detail.places, payloads, scores)
		if #out > 0 then
			bury(id, out, outScores, detail.error, now)
		end
		if #rest == 0 then
			unblock({ id })
		elseif kind == BURY then
			requeue(id, { performAt = now, retry = -1, crashes = 0 }, rest, restScores, now)
		else
			redis.call('HSET', BUSY, id, writeBusy(job, rest, restScores))
		end
	end
end

-- Applies the outcomes in their order; successive Done ones together.
local function apply(outcomes, now)
	local done = {}
	local function finish()
		meta.processed = meta.processed + each('HDEL', BUSY, done)
		unblock(done)
		done = {}
	end
	for i, kind in ipairs(outcomes.kinds) do
		if kind == DONE then
			done[#done + 1] = outcomes.ids[i]
		else
			finish()
			applyOutcome(kind, outcomes.ids[i], outcomes.details[i], now)
		end
	end
	finish()
end
