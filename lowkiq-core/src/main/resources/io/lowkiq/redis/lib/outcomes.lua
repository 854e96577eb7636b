-- What becomes of busy jobs (rules 4 to 6, and I8).
local DONE, RETRY, BURY, REJECT, ALL_DONE = 0, 1, 2, 3, 4

-- Reads the packed outcomes: B kind, I4 length, id, and of all but a Done one: d delay, I4 length, error, I4 length,
-- places (I4 each, from 0 on). The ids of leading Done ones come apart, so that the common case is one command. Or, if
-- all that is busy is done: B ALL_DONE, I4 how many jobs; nil if that isn't what is busy.
local function readOutcomes(packed)
	local done, rest = {}, {}
	if string.byte(packed, 1) == ALL_DONE then
		local busy = readBusyJobs()
		for i = 1, #busy, 2 do
			done[#done + 1] = busy[i]
		end
		return #done == struct.unpack('>I4', packed, 2) and done or nil, rest
	end
	local position, length = 1, #packed
	while position <= length do
		local kind, id, delay, error, places
		kind, id, position = struct.unpack('>BI4c0', packed, position)
		if kind == DONE and #rest == 0 then
			done[#done + 1] = id
		elseif kind == DONE then
			rest[#rest + 1] = { kind = DONE, id = id }
		else
			assert(kind == RETRY or kind == BURY or kind == REJECT, 'unknown outcome')
			delay, error, places, position = struct.unpack('>dI4c0I4c0', packed, position)
			rest[#rest + 1] = { kind = kind, id = id, delay = delay, error = error, places = places }
		end
	end
	return done, rest
end

local function touchOutcomes(outcomes)
	for _, outcome in ipairs(outcomes) do
		touch(outcome.id)
		touchDead(outcome.id)
	end
end

-- Takes the payloads at some places out of the lists.
local function takeAt(packedPlaces, payloads, scores)
	local takes, out, outScores, rest, restScores = {}, {}, {}, {}, {}
	for position = 1, #packedPlaces, 4 do
		takes[struct.unpack('>I4', packedPlaces, position) + 1] = true
	end
	for i, payload in ipairs(payloads) do
		local to, toScores = rest, restScores
		if takes[i] then
			to, toScores = out, outScores
		end
		to[#to + 1] = payload
		toScores[#toScores + 1] = scores[i]
	end
	return out, outScores, rest, restScores
end

local function applyOutcome(outcome, now)
	local id = outcome.id
	local entry = redis.call('HGET', BUSY, id)
	if not entry then
		return
	end
	if outcome.kind == DONE then
		redis.call('HDEL', BUSY, id)
		set('processed', meta.processed + 1)
		return
	end
	if outcome.kind ~= REJECT then
		set('failed', meta.failed + 1)
	end
	local job, payloads, scores = readBusy(entry)
	if not job then
		redis.call('HDEL', BUSY, id)
		buryRaw(id, entry, now)
	elseif outcome.kind == RETRY then
		redis.call('HDEL', BUSY, id)
		job.performAt = now + outcome.delay
		job.retry = job.retry + 1
		job.crashes = 0
		job.error = outcome.error
		requeue(id, job, payloads, scores, now)
	elseif outcome.kind == BURY then
		redis.call('HDEL', BUSY, id)
		bury(id, { table.remove(payloads, 1) }, { table.remove(scores, 1) }, outcome.error, now)
		if #payloads > 0 then
			requeue(id, { performAt = now, retry = -1, crashes = 0 }, payloads, scores, now)
		end
	else
		local out, outScores, rest, restScores = takeAt(outcome.places, payloads, scores)
		if #out > 0 then
			bury(id, out, outScores, outcome.error, now)
		end
		if #rest > 0 then
			redis.call('HSET', BUSY, id, writeBusy(job, rest, restScores))
		else
			redis.call('HDEL', BUSY, id)
		end
	end
end

-- Applies the outcomes in their order.
local function apply(done, rest, now)
	if #done > 0 then
		local count = each('HDEL', BUSY, done)
		if count > 0 then
			set('processed', meta.processed + count)
		end
	end
	for _, outcome in ipairs(rest) do
		applyOutcome(outcome, now)
	end
end
