-- Applying outcomes.

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
		unblockQueued(id)
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
			unblockQueued(id)
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
	for i, kind in ipairs(outcomes.kinds) do
		if kind == DONE then
			done[#done + 1] = outcomes.ids[i]
		else
			finish(done, fields(JOBS, done), unblock)
			done = {}
			applyOutcome(kind, outcomes.ids[i], outcomes.details[i], now)
		end
	end
	finish(done, fields(JOBS, done), unblock)
end
