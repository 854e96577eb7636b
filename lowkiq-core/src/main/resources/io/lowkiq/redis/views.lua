-- Shows jobs as people look at them.
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 QUEUED, BUSY or DEAD
--       3 the most payloads of each job
--       4 the ids, packed
-- Returns of each job that is there: id, performAt, retryCount, crashes, error or nil, the number of its payloads,
-- how many follow, and these: payload, score as text.
-- Keeps: writes nothing.

--@include shard
--@include bytes
--@include entry
--@include line
--@include morgue

assert(#ARGV == 4, 'four arguments expected')
local state, most = ARGV[2], assert(tonumber(ARGV[3]))
local reply = {}

local function add(value)
	reply[#reply + 1] = value
end

local function addJob(id, performAt, retry, crashes, error, count)
	add(id)
	add(performAt)
	add(retry)
	add(crashes)
	add(error or false)
	add(count)
end

local function addPayloadsOf(key)
	local found = most > 0 and redis.call('ZRANGE', key, 0, most - 1, 'WITHSCORES') or {}
	add(#found / 2)
	for _, value in ipairs(found) do
		add(value)
	end
end

local function addLists(payloads, scores)
	local shown = math.min(most, #payloads)
	add(shown)
	for i = 1, shown do
		add(payloads[i])
		add(exact(scores[i]))
	end
end

-- What can't be read is shown as it is.
local function addRaw(id, entry)
	addJob(id, 0, -1, 0, 'What lies in Redis for this job can not be read', 1)
	addLists({ entry }, { 0 })
end

local function addDead(id, entry)
	local key = deadPayloadsOf(id)
	local time, failed = 0, 0
	if #entry >= 9 then
		time, failed = struct.unpack('>dB', entry)
	end
	addJob(id, time, -1, 0, failed == 1 and string.sub(entry, 10), redis.call('ZCARD', key))
	addPayloadsOf(key)
end

-- A job of kind FIRST, with the payload that is left in the line.
local function addFirst(id, job)
	local _, there = jobInPlace(id)
	local first = there and readEntry(there)
	local key = payloadsOf(id)
	local payload = first and first.kind == PLAIN and string.sub(there, first.body)
	local score = payload and tonumber(redis.call('ZSCORE', key, payload))
	local count = redis.call('ZCARD', key)
	addJob(id, payload and first.performAt or job.performAt, job.retry, job.crashes, job.error,
			count + ((score or not payload) and 0 or 1))
	local found = most > 0 and redis.call('ZRANGE', key, 0, most, 'WITHSCORES') or {}
	local payloads, scores = {}, {}
	for i = 1, #found, 2 do
		if found[i] ~= payload then
			payloads[#payloads + 1] = found[i]
			scores[#scores + 1] = tonumber(found[i + 1])
		end
	end
	if payload then
		local own, place = math.min(first.score, score or first.score), 1
		while payloads[place] and (scores[place] < own or scores[place] == own and before(payloads[place], payload)) do
			place = place + 1
		end
		table.insert(payloads, place, payload)
		table.insert(scores, place, own)
	end
	addLists(payloads, scores)
end

local function addQueuedOrBusy(id, entry)
	local job = readEntry(entry)
	if state == 'QUEUED' and job and job.kind == FIRST then
		return addFirst(id, job)
	end
	if state == 'QUEUED' and job and job.kind == MULTI then
		addJob(id, job.performAt, job.retry, job.crashes, job.error, redis.call('ZCARD', payloadsOf(id)))
		addPayloadsOf(payloadsOf(id))
		return
	end
	local busy, payloads, scores = readBusy(entry)
	if busy then
		addJob(id, busy.performAt, busy.retry, busy.crashes, busy.error, #payloads)
		addLists(payloads, scores)
	else
		addRaw(id, entry)
	end
end

load()
local ids = readIds(ARGV[4])
local source = assert(({ QUEUED = JOBS, BUSY = BUSY, DEAD = MORGUE })[state], 'unknown state')
local taken, inPlace = readTakenInPlace(), {}
for i = 1, #taken, 2 do
	inPlace[taken[i]] = taken[i + 1]
end
for i, entry in ipairs(fields(source, ids)) do
	entry = entry or state == 'QUEUED' and select(2, jobInPlace(ids[i])) or state == 'BUSY' and inPlace[ids[i]]
	if entry and state == 'DEAD' then
		addDead(ids[i], entry)
	elseif entry then
		addQueuedOrBusy(ids[i], entry)
	end
end
return reply
