-- Applying outcomes.
--@include commands
--@include outcome-kinds

-- Checks the keys that the outcomes need. Done needs none.
local function checkOutcomes(outcomes)
	local ids = {}
	for i, kind in ipairs(outcomes.kinds) do
		if kind ~= DONE then
			ids[#ids + 1] = outcomes.ids[i]
		end
		if kind == FOLLOW_UP then
			redis.call('ZCARD', FOLLOW_UPS)
		end
	end
	if #ids > 0 then
		checkTypes(ids)
	end
end

-- The packed places as a set.
local function readPlaces(packed)
	local places = {}
	for position = 1, #packed, 4 do
		places[struct.unpack('>I4', packed, position) + 1] = true
	end
	return places
end

-- The ids with a run that has completed some of their payloads.
local partlyDone = {}

-- Takes payloads out of a busy job: some are removed, some are buried, the others stay busy. The failures of a job are those
-- of its first payload and leave with it; the others get the error of the buried payloads.
local function applyPartlyDone(id, job, payloads, scores, detail, now)
	local gone, dead = readPlaces(detail.gone), readPlaces(detail.dead)
	local out, outScores, rest, restScores = {}, {}, {}, {}
	for i, payload in ipairs(payloads) do
		if dead[i] then
			out[#out + 1], outScores[#outScores + 1] = payload, scores[i]
		elseif not gone[i] then
			rest[#rest + 1], restScores[#restScores + 1] = payload, scores[i]
		end
	end
	if #out > 0 then
		bury(id, out, outScores, { error = detail.error, attempts = detail.attempts, producers = job.producers }, now)
	end
	if #rest == 0 then
		return unblockQueued(id, now, true)
	end
	partlyDone[id] = true
	if gone[1] or dead[1] then
		job.retry, job.crashes, job.unreadable = -1, 0, nil
		job.error, job.attempts = #out > 0 and detail.error or nil, #out > 0 and detail.attempts or nil
	end
	redis.call('HSET', BUSY, id, writeBusy(job, rest, restScores))
end

-- Keeps a follow-up of a busy job until the owner has enqueued it. The epoch and the number make it unique in the shard.
local function addFollowUp(detail)
	local member = struct.pack('>dd', meta.epoch, detail.number) .. detail.enqueued
	redis.call('ZADD', FOLLOW_UPS, exact(detail.number), member)
end

local function applyOutcome(kind, id, detail, now)
	local entry = redis.call('HGET', BUSY, id)
	if not entry then
		return
	end
	if kind == FOLLOW_UP then
		return addFollowUp(detail)
	end
	redis.call('HDEL', BUSY, id)
	if kind == RETRY or kind == PARTLY_DONE and detail.failed then
		meta.failed = meta.failed + 1
	end
	local job, payloads, scores = readBusy(entry)
	if not job then
		if string.byte(entry) ~= ERASED then
			buryUnreadable(id, entry, now)
		end
		unblockQueued(id, now)
	elseif kind == RETURNED then
		if detail.delay > 0 then
			job.performAt = now + detail.delay
		else
			stayDue(job, now)
		end
		if partlyDone[id] then
			applyMinInterval(job, now)
		end
		requeue(id, job, payloads, scores, now)
	elseif kind == RETRY then
		job.performAt, job.retry, job.unreadable = now + detail.delay, job.retry + 1, nil
		job.error, job.attempts = detail.error, detail.attempts
		job.crashes = detail.suspect and math.max(job.crashes + 1, SUSPECT_AFTER) or 0
		applyMinInterval(job, now)
		requeue(id, job, payloads, scores, now)
	elseif kind == UNREADABLE then
		job.performAt, job.unreadable = now + detail.delay, job.unreadable or now
		job.error, job.attempts = detail.error, detail.attempts
		if partlyDone[id] then
			applyMinInterval(job, now)
		end
		requeue(id, job, payloads, scores, now)
	else
		applyPartlyDone(id, job, payloads, scores, detail, now)
	end
end

-- Applies the outcomes in their order, successive Done outcomes together.
local function apply(outcomes, now)
	local done = {}
	for i, kind in ipairs(outcomes.kinds) do
		if kind == DONE then
			done[#done + 1] = outcomes.ids[i]
		else
			finish(done, fields(JOBS, done), unblock, now)
			done = {}
			applyOutcome(kind, outcomes.ids[i], outcomes.details[i], now)
		end
	end
	finish(done, fields(JOBS, done), unblock, now)
end
