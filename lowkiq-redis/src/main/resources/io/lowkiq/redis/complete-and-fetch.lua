-- Applies outcomes of busy jobs and fetches jobs that are due (rules 3 to 6), in one step.
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 the call: d the owner's epoch, d the sequence number, I4 the number of busy jobs that the owner knows of,
--         I4 the maximum number of jobs to fetch, I4 the maximum number of payloads of one job, B 1 if a suspect may be
--         fetched, I4 length, the session
--       3 the outcomes, packed as in lib/outcomes.lua
-- Returns the epoch and the sequence number, which tie the reply to its call; then 1 if the lease is not current (I6), 2 if
-- the call is out of step, or 0, when the next job is due and the next suspect, now, the number of buried payloads, and the
-- id and the entry in 'busy' of each fetched job.
-- Keeps: the fetched jobs are those that were added to 'busy'. They are chosen before the first write, so that no outcome
-- makes a job due for the same call.

--@include shard
--@include owner
--@include kinds
--@include ready
--@include next
--@include outcomes

assert(#ARGV == 3, 'three arguments expected')
local now = math.floor(clock(ARGV[1]))
local epoch, sequence, known, asked, most, withSuspects, session = struct.unpack('>ddI4I4I4BI4c0', ARGV[2])

if meta.session ~= session or meta.epoch ~= epoch then
	return { epoch, sequence, 1 }
end
if sequence ~= meta.seq + 1 or known ~= redis.call('HLEN', BUSY) then
	return { epoch, sequence, 2 }
end
local outcomes = readOutcomes(ARGV[3])
local hasMinInterval = meta.policy and meta.policy.minInterval > 0
if hasMinInterval then
	redis.call('ZCARD', RESTING)
end

-- The answer; the jobs in it are also what goes to 'busy'.
local FIRST_JOB = 8
local reply, size = { epoch, sequence, 0, false, false, now, 0 }, FIRST_JOB - 1
local leaving, leavingDelayed, leavingRetries, unreadable, sets = {}, {}, {}, {}, {}

-- Rules that most calls don't need are defined when they are needed: defining them takes longer than such a call.
local defined
local function rules()
	if defined then
		return defined
	end
	--@include entry
	--@include morgue
	--@include queue
	--@include apply
	--@include clock

	-- Chooses a job with several payloads, of which those with the smallest scores are fetched.
	local function chooseMulti(id, job)
		local key = payloadsOf(id)
		local found, payloads, scores = redis.call('ZRANGE', key, '0', exact(most - 1), 'WITHSCORES'), {}, {}
		for i = 1, #found, 2 do
			payloads[#payloads + 1], scores[#scores + 1] = found[i], tonumber(found[i + 1])
		end
		if #payloads == 0 then
			return nil
		end
		local rest = redis.call('ZCARD', key) > #payloads
		sets[#sets + 1] = { id = id, performAt = job.performAt, rest = rest, count = #payloads, producers = job.producers }
		return writeBusy(job, payloads, scores)
	end

	-- The entry that a job gets in 'busy'; nil if it can't be read.
	local function choose(id, entry)
		local job = readQueued(entry)
		if job and job.retry >= 0 then
			leavingRetries[#leavingRetries + 1] = id
		end
		if job and (job.gathers or job.notBefore) then
			job.gathers, job.notBefore = nil, nil
			entry = writeEntry(job, string.sub(entry, job.body))
		end
		return job and (job.kind == MULTI and chooseMulti(id, job) or job.kind == SINGLE and entry) or nil
	end

	-- Checks what fetching the chosen jobs will need.
	local function checkChosen()
		local ids = {}
		for i, job in ipairs(unreadable) do
			ids[i] = job.id
		end
		checkTypes(ids)
	end

	-- Removes fetched payloads from their sets, and jobs that can't be read.
	local function removeChosen()
		for _, set in ipairs(sets) do
			if set.rest then
				redis.call('ZREMRANGEBYRANK', payloadsOf(set.id), '0', exact(set.count - 1))
				local job = { kind = MULTI, performAt = set.performAt, score = 0, retry = -1, crashes = 0, due = true }
				job.producers = set.producers
				place(set.id, job, '', true)
			else
				redis.call('UNLINK', payloadsOf(set.id))
			end
		end
		for _, job in ipairs(unreadable) do
			buryUnreadableQueued(job.id, job.entry, now)
		end
	end

	defined = {
		keepDue = keepDue, unblock = unblock, checkOutcomes = checkOutcomes, apply = apply, choose = choose,
		checkChosen = checkChosen, removeChosen = removeChosen, buried = function() return buried end,
	}
	return defined
end

-- Whether the job of an id that is in 'delayed' is delayed, or can't be read. Else the index is wrong: the id may be busy.
local function isDelayed(entry)
	local place = placeOf(entry)
	return not place or place == IS_DELAYED or place > IS_BLOCKED
end

local function choose(id, entry)
	local chosen = entry
	if string.byte(entry) ~= PLAIN or #entry < PLAIN_BYTES then
		chosen = rules().choose(id, entry)
	end
	if chosen then
		leaving[#leaving + 1] = id
		reply[size + 1], reply[size + 2] = id, chosen
		size = size + 2
	else
		unreadable[#unreadable + 1] = { id = id, entry = entry }
	end
end

local behind = outcomes.allDone and fields(JOBS, outcomes.ids) or {}
for _, entry in ipairs(behind) do
	if entry then
		rules()
		break
	end
end
if not outcomes.allDone then
	rules().checkOutcomes(outcomes)
end
if now < meta.clock or meta.moving then
	rules().checkChosen()
	redis.call('LLEN', READY)
	writeThoughFull()
	meta.clock = rules().keepDue(now)
	-- At once: what is found from here on may be damaged
	writeMeta()
	behind = outcomes.allDone and fields(JOBS, outcomes.ids) or behind
else
	meta.clock = now
end
local wanted = meta.paused and 0 or asked
local ready, suspect = nil, nil
if not meta.paused then
	ready = firstReady(wanted + 1)
end
if wanted > 0 then
	suspect = withSuspects == 1 and dueIds(SUSPECTS, 1, now)[1]
	if suspect then
		local entry = redis.call('HGET', JOBS, suspect)
		if entry then
			choose(suspect, entry)
		end
	end
	local delayedIds, delayedTimes = dueIds(DELAYED, wanted, now)
	local entries, nth = fields(JOBS, delayedIds), 1
	local last = FIRST_JOB - 1 + 2 * wanted
	while size < last do
		local readyAt, delayedAt = ready.time, delayedTimes[nth]
		if delayedAt and (not readyAt or delayedAt <= readyAt) then
			leavingDelayed[nth] = delayedIds[nth]
			if entries[nth] and isDelayed(entries[nth]) then
				choose(delayedIds[nth], entries[nth])
			end
			nth = nth + 1
		elseif readyAt then
			choose(ready.id, ready.entry)
			nextReady(ready)
		else
			break
		end
	end
end
if defined then
	defined.checkChosen()
end

writeThoughFull()
-- Before the outcomes, which may put ids there
inChunks('ZREM', DELAYED, leavingDelayed)
if outcomes.allDone then
	finish(outcomes.ids, behind, defined and defined.unblock, now)
else
	rules().apply(outcomes, now)
end
if hasMinInterval then
	-- More than this call may have added
	forgetRested(2 * #outcomes.ids + 10, now)
end
if wanted > 0 then
	trimReady(ready.read, ready.void)
	if suspect then
		redis.call('ZREM', SUSPECTS, suspect)
	end
	inChunks('ZREM', RETRIES, leavingRetries)
	inChunks('HDEL', JOBS, leaving)
	inChunks('HSET', BUSY, reply, FIRST_JOB)
	if defined then
		defined.removeChosen()
	end
end

local nextTime = nextDue(ready and (ready.time or ready.more), now)
if asked > 0 then
	meta.wake = size < FIRST_JOB - 1 + 2 * asked and (nextTime or math.huge) or NEVER
end
meta.seq = sequence
writeMeta()
reply[4], reply[5], reply[7] = nextTime or false, nextSuspect() or false, defined and defined.buried() or 0
return reply
