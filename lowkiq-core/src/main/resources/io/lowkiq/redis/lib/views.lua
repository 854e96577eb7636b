-- Jobs as people look at them. Each adds to 'views': id, performAt, retryCount, crashes, error or nil, the number of its
-- payloads, how many follow, and these: payload, score as text.
local views, shown = {}, 0

local function add(value)
	views[#views + 1] = value
end

local function addJob(id, performAt, retry, crashes, error, count)
	add(id)
	add(performAt)
	add(retry)
	add(crashes)
	add(error or false)
	add(count)
end

local function addPayloadSet(key, most)
	local found = most > 0 and redis.call('ZRANGE', key, 0, most - 1, 'WITHSCORES') or {}
	add(#found / 2)
	shown = shown + #found / 2
	for _, value in ipairs(found) do
		add(value)
	end
end

local function addPayloadList(payloads, scores, most)
	add(math.min(most, #payloads))
	for i = 1, math.min(most, #payloads) do
		add(payloads[i])
		add(exact(scores[i]))
		shown = shown + 1
	end
end

-- Adds a job out of 'jobs', 'busy' or 'morgue', with so many of its payloads. What can't be read is shown as it is.
local function addView(hash, id, entry, most)
	local job, payloads, scores = readBusy(entry)
	if hash == MORGUE then
		local time, failed = 0, 0
		if #entry >= 9 then
			time, failed = struct.unpack('>dB', entry)
		end
		local key = deadPayloadsOf(id)
		addJob(id, time, -1, 0, failed == 1 and string.sub(entry, 10), redis.call('ZCARD', key))
		addPayloadSet(key, most)
	elseif job then
		addJob(id, job.performAt, job.retry, job.crashes, job.error, #payloads)
		addPayloadList(payloads, scores, most)
	elseif hash == JOBS and readQueued(entry) then
		job = readQueued(entry)
		addJob(id, job.performAt, job.retry, job.crashes, job.error, redis.call('ZCARD', payloadsOf(id)))
		addPayloadSet(payloadsOf(id), most)
	else
		addJob(id, 0, -1, 0, 'Unreadable data in Redis', 1)
		addPayloadList({ entry }, { 0 }, most)
	end
end
