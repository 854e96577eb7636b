-- Jobs for inspection. A view: id, performAt or nil if the job is on hold, retryCount, crashes, error or nil, the number of
-- payloads, the producers or nil, the attempts or nil, since when its first payload can't be read or nil, and each returned
-- payload with its score as text. 'shown' counts the returned payloads.
--@include commands
local views, shown = {}, 0

-- Adds a job of 'jobs', 'busy' or 'morgue', with a maximum number of payloads and, if given, of bytes of its error, which
-- then comes without attempts. An entry that can't be read is shown as it is.
local function addView(hash, id, entry, most, errors)
	local job, payloads, scores, key
	if hash == MORGUE then
		local time = 0
		if #entry >= 9 then
			time = struct.unpack('>d', entry)
		end
		job = { performAt = time, retry = -1, crashes = 0 }
		job.error, job.producers, job.attempts = readDead(entry)
		key = deadPayloadsOf(id)
	else
		job, payloads, scores = readBusy(entry)
		if not job and hash == JOBS then
			job, key = readQueued(entry), payloadsOf(id)
		end
		if not job then
			job = { performAt = 0, retry = -1, crashes = 0 }
			payloads, scores = {}, {}
			if hash == JOBS or string.byte(entry) ~= ERASED then
				job.error, payloads, scores = 'Unreadable data in Redis', { entry }, { 0 }
			end
		end
	end
	local view = {
		id, job.performAt ~= math.huge and job.performAt, job.retry, job.crashes,
		job.error and string.sub(job.error, 1, errors or -1) or false,
		payloads and #payloads or redis.call('ZCARD', key), job.producers and writeProducers(job.producers) or false,
		not errors and job.attempts or false, job.unreadable or false,
	}
	local first = #view + 1
	if payloads then
		for i = 1, math.min(most, #payloads) do
			view[first + 2 * i - 2], view[first + 2 * i - 1] = payloads[i], exact(scores[i])
		end
	elseif most > 0 then
		for i, value in ipairs(redis.call('ZRANGE', key, 0, most - 1, 'WITHSCORES')) do
			view[first + i - 1] = value
		end
	end
	shown = shown + (#view - first + 1) / 2
	views[#views + 1] = view
end
