-- Applies outcomes of busy jobs and fetches jobs that are due (rules 3 to 6), in one step.
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 the call: d the owner's epoch, d the sequence number: one more than that of the call before under this lease,
--         I4 the largest number of jobs to fetch, I4 the largest number of payloads of one id, B flags (1: a suspect may
--         be fetched, 2: the owner takes a job that is handed over, when this call fetches none), I4 length, the session
--       3 the outcomes, packed as in lib/outcomes.lua
-- Returns -1 if the lease is not current (I6); -2 if the number is not the next one; what was handed over, if that was
-- the step after the call before this one: its number, now, next, id, entry, call (an odd number of values); or
-- next, next suspect, now, how many payloads were buried, call, and of each job its id and its entry in 'busy'.
-- 'call' is the number of the call and the key of the shard's meta data, by which the owner knows its answer.
-- Keeps: a job lies in exactly one place (I5); what is fetched is what lies in 'busy'.

--@include state
--@include common-turn
--@include shard
--@include entry
--@include line
--@include morgue
--@include queue
--@include heads
--@include outcomes

local now = math.floor(clock(ARGV[1]))
local epoch, sequence, asked, most, flags, session = struct.unpack('>ddI4I4BI4c0', ARGV[2])
local withSuspects, takesHandOvers = flags % 2 == 1, flags >= 2

load()
if meta.session ~= session or meta.epoch ~= epoch then
	return { -1 }
end
if sequence ~= meta.seq + 1 then
	local given = isOvertaken(sequence) and asked > 0 and ARGV[3] == '' and readBusyJobs() or {}
	if #given == 2 then
		return { meta.seq, now, answer(nextDue(now)), given[1], given[2], sequence, META }
	end
	return { -2 }
end
local done, rest = readOutcomes(ARGV[3])
if not done then
	return { -2 }
end
moveTakenToBusy()
set('seq', sequence)
local wanted = meta.paused and 0 or asked

-- Touches what will be needed of the sets of a queued job.
local function touchQueued(id, entry)
	local kind = string.byte(entry or '', 1)
	if kind ~= PLAIN and kind ~= IN_PLACE then
		touch(id)
		touchDead(id)
	end
end

-- Reads the heads of the queue, one more than are wanted, with their entries, and touches them.
local function readHeads(count)
	local line, later = readLine(count + 1, now), readLater(count + 1)
	for i, entry in ipairs(line.entries) do
		touchQueued(line.ids[i], entry)
	end
	local due = {}
	for i, id in ipairs(later.ids) do
		if later.times[i] > now or i > count then
			break
		end
		due[i] = id
	end
	later.entries = fields(JOBS, due)
	for i, entry in ipairs(later.entries) do
		touchQueued(due[i], entry)
	end
	return line, later
end

touchOutcomes(rest)
local line, later = readHeads(wanted + #rest)
local suspects = readSuspects(2 + #rest)
if withSuspects and wanted > 0 then
	for i = 1, #suspects, 2 do
		touchQueued(suspects[i], false)
	end
end

writeThoughFull()
apply(done, rest, now)
if #rest > 0 then
	line, later = readHeads(wanted)
	suspects = readSuspects(2)
end

-- What is taken: ids and entries in turn, as they go to 'busy'.
local taken, leaving, leavingLater, leavingRetries, staying = {}, {}, {}, {}, {}

local function take(id, entry, inPlace)
	leaving[#leaving + 1] = id
	local kind = string.byte(entry, 1)
	if kind == PLAIN and #entry >= 17 or entry == inPlace and kind == IN_PLACE then
		taken[#taken + 1] = id
		taken[#taken + 1] = entry
		return
	end
	local job = readEntry(entry)
	if job and job.retry >= 0 or not job then
		leavingRetries[#leavingRetries + 1] = id
	end
	if not job or job.kind == TAKEN then
		return buryQueued(id, entry, now)
	end
	if job.kind == FIRST then
		gather(id, job, inPlace)
	end
	if job.kind == MULTI then
		local key = payloadsOf(id)
		local found = redis.call('ZRANGE', key, 0, most - 1, 'WITHSCORES')
		if #found == 0 then
			return buryQueued(id, entry, now)
		end
		local payloads, scores = {}, {}
		for i = 1, #found, 2 do
			payloads[#payloads + 1] = found[i]
			scores[#scores + 1] = tonumber(found[i + 1])
		end
		if #payloads == most and redis.call('ZCARD', key) > most then
			redis.call('ZREMRANGEBYRANK', key, 0, most - 1)
			staying[#staying + 1] = id
			staying[#staying + 1] = { performAt = job.performAt, retry = -1, crashes = 0 }
		else
			redis.call('UNLINK', key)
		end
		entry = writeBusy(job, payloads, scores)
	end
	taken[#taken + 1] = id
	taken[#taken + 1] = entry
end

local function store()
	if #leaving == 0 then
		return
	end
	each('HDEL', JOBS, leaving)
	each('ZREM', RETRIES, leavingRetries)
	each('HSET', BUSY, taken)
	for i = 1, #staying, 2 do
		redis.call('HSET', JOBS, staying[i], writeEntry(MULTI, staying[i + 1], 0, ''))
		redis.call('ZADD', LATER, exact(staying[i + 1].performAt), staying[i])
	end
end

-- Removes the first entries of the line, up to the i-th that counts.
local function trimLine(i)
	local length = line.at[i + 1] and line.at[i + 1] - 1 or line.read
	if length == 0 then
		return
	end
	redis.call('LTRIM', LINE, length, -1)
	set('popped', meta.popped + length)
	if #line.stale == 0 then
		return
	end
	local gone = 0
	for k, id in ipairs(line.stale) do
		if line.staleAt[k] > length then
			break
		end
		gone = gone + 1
		if redis.call('HINCRBY', STALE, id, -1) <= 0 then
			redis.call('HDEL', STALE, id)
		end
	end
	set('stale', meta.stale - gone)
end

-- Takes the jobs that are due in the order of performAt, those in line first among equals.
local function takeHeads()
	local i, j = 1, 1
	while #taken < 2 * wanted do
		local inLine, behind = line.times[i], later.times[j]
		if inLine and inLine <= now and (not behind or inLine <= behind) then
			if line.entries[i] then
				take(line.ids[i], line.entries[i], line.inPlace[i])
			end
			i = i + 1
		elseif behind and behind <= now and later.entries[j] ~= nil then
			leavingLater[#leavingLater + 1] = later.ids[j]
			if later.entries[j] then
				take(later.ids[j], later.entries[j])
			end
			j = j + 1
		else
			break
		end
	end
	trimLine(i - 1)
	each('ZREM', LATER, leavingLater)
	store()
	local soonest = earlier(dueAt(line, i, now), dueAt(later, j, now))
	for k = 2, #staying, 2 do
		soonest = earlier(soonest, staying[k].performAt)
	end
	return soonest
end

local nextTime, suspectTime
if wanted > 0 and redis.call('HLEN', BUSY) == 0 then
	if withSuspects and suspects[2] and tonumber(suspects[2]) <= now then
		local entry = redis.call('HGET', JOBS, suspects[1])
		redis.call('ZREM', SUSPECTS, suspects[1])
		if entry then
			take(suspects[1], entry)
		end
		store()
		suspectTime = tonumber(suspects[4])
		nextTime = nextDue(now)
	else
		nextTime = takeHeads()
		suspectTime = tonumber(suspects[2])
	end
else
	nextTime = earlier(dueAt(line, 1, now), dueAt(later, 1, now))
	suspectTime = tonumber(suspects[2])
end

if asked > 0 and #taken == 0 then
	set('wake', not meta.paused and nextTime or math.huge)
	set('hand', takesHandOvers and TAKES or NO_HAND)
else
	set('wake', NEVER)
	set('hand', NO_HAND)
end
dropVoid()
save()

local reply = { answer(nextTime), answer(suspectTime), now, buried, sequence, META }
for i, value in ipairs(taken) do
	reply[6 + i] = value
end
return reply
