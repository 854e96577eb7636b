-- Applies outcomes of busy jobs and fetches jobs that are due (rules 3 to 6), in one step.
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 the call: d the owner's epoch, d the sequence number, I4 the number of busy jobs that the owner knows of,
--         I4 the maximum number of jobs to fetch, I4 the maximum number of payloads of one job, B 1 if a suspect may be
--         fetched, I4 length, the session
--       3 the outcomes, packed as in lib/outcomes.lua
--       4 the groups as in lib/groups.lua, if the queue has them, or lists of groups are left in the shard
-- Returns the epoch and the sequence number, which tie the reply to its call; then 1 if the lease is not current (I6), or 2 if
-- the call is out of step, and the last call that the shard knows of, as in lib/meta.lua; or 0, when the next job is due and
-- the next suspect, now, the number of buried payloads, what lib/groups.lua says of the groups or nil, and the id and the entry
-- in 'busy' of each fetched job.
-- Keeps: the fetched jobs are those that were added to 'busy'. They are chosen before the first write, so that no outcome
-- makes a job due for the same call.

--@include shard
--@include owner
--@include plain
--@include outcome-kinds
--@include commands
--@include parked

assert(#ARGV == 3 or #ARGV == 4, 'three or four arguments expected')
local now = math.floor(clock(ARGV[1]))
local epoch, sequence, known, asked, most, withSuspects, session = struct.unpack('>ddI4I4I4BI4c0', ARGV[2])

if meta.session ~= session or meta.epoch ~= epoch then
	return { epoch, sequence, 1, meta.epoch, meta.seq, meta.clock }
end
if sequence ~= meta.seq + 1 or known ~= redis.call('HLEN', BUSY) then
	return { epoch, sequence, 2, meta.epoch, meta.seq, meta.clock }
end
local hasMinInterval = meta.policy and meta.policy.minInterval > 0

-- The answer; the jobs in it are also what goes to 'busy'.
local FIRST_JOB = 9
local reply, size, leaving = { epoch, sequence, 0, false, false, now, 0, false }, FIRST_JOB - 1, {}

local function choose(id, entry)
	leaving[#leaving + 1] = id
	reply[size + 1], reply[size + 2] = id, entry
	size = size + 2
end

-- Remembers the call, and until when the owner waits for the next job: after a fetch that found less than it asked for, or after
-- which no group can start a job. Returns the answer.
local function answer(nextTime, suspectTime, noneLeft)
	if asked > 0 then
		meta.wake = (noneLeft or #leaving < asked) and (nextTime or math.huge) or NEVER
	end
	meta.seq = sequence
	writeMeta()
	reply[4], reply[5] = nextTime or false, suspectTime or false
	return reply
end

-- What the usual call reads: the ids of the outcomes if all are Done, and their queued entries; the ids at the head of the
-- list, and their entries. The other calls don't read it again.
local done, behind, head, entries

local function readDone(packed)
	local ids, position, kind = {}, 1, nil
	while position <= #packed do
		kind, ids[#ids + 1], position = struct.unpack('>BI4c0', packed, position)
		if kind ~= DONE then
			return nil
		end
	end
	return ids
end

local function readEntries()
	head = redis.call('LRANGE', READY, '0', exact(asked))
	local ids = {}
	for i, id in ipairs(done) do
		ids[i] = id
	end
	for _, id in ipairs(head) do
		ids[#ids + 1] = id
	end
	behind, entries = {}, {}
	for i, entry in ipairs(fields(JOBS, ids)) do
		if i <= #done then
			behind[i] = entry
		else
			entries[i - #done] = entry
		end
	end
end

-- Whether nothing waits behind the jobs that are Done, and the list begins with plain jobs, each of them once.
local function arePlain()
	for _, entry in ipairs(behind) do
		if entry then
			return false
		end
	end
	local isListed = {}
	for i, id in ipairs(head) do
		if isListed[id] or not entries[i] or not isPlain(entries[i]) then
			return false
		end
		isListed[id] = true
	end
	return #head == 0 or redis.call('HLEN', VOID) == 0
end

-- The usual call: all outcomes are Done, no payloads wait behind them, and the jobs to fetch are plain ones at the head of the
-- list. Returns nil, and has written nothing, if the call isn't like that. What other calls need is defined behind it, since
-- defining that takes longer than this call.
local function usualAnswer()
	done = readDone(ARGV[3])
	if not done then
		return nil
	end
	readEntries()
	if not arePlain() then
		return nil
	end
	local delayed, suspect = firstTime(DELAYED), firstTime(SUSPECTS)
	if delayed and delayed <= now or withSuspects == 1 and suspect and suspect <= now then
		return nil
	end
	for i = 1, math.min(#head, asked) do
		choose(head[i], entries[i])
	end
	if #done > 0 then
		-- Redis doesn't refuse the writes that follow, as after writeThoughFull()
		meta.processed = meta.processed + inChunks('HDEL', BUSY, done)
	else
		writeThoughFull()
	end
	if #leaving > 0 then
		redis.call('LTRIM', READY, exact(#leaving), '-1')
		inChunks('HDEL', JOBS, leaving)
		inChunks('HSET', BUSY, reply, FIRST_JOB)
	end
	meta.clock = now
	return answer(#head > asked and now or delayed, suspect)
end

local isUsual = not (ARGV[4] or meta.paused or meta.moving or hasMinInterval) and now >= meta.clock
local usual = isUsual and usualAnswer()
if usual then
	return usual
end

-- Any other call. A function, since what is defined in it takes less time than what is defined in the script itself.
local function anyAnswer()
	--@include entry
	--@include morgue
	--@include queue
	--@include ready
	--@include next
	local inTurn = nil
	if ARGV[4] then
		--@include groups
		inTurn = groups
		inTurn.read(ARGV[4])
	end
	--@include outcomes
	--@include apply
	--@include clock

	local outcomes = readOutcomes(ARGV[3])
	if hasMinInterval then
		redis.call('ZCARD', RESTING)
	end
	local leavingDelayed, leavingRetries, unreadable, sets = {}, {}, {}, {}

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

	-- The entry that a chosen job gets in 'busy'; nil if it can't be read.
	local function busyEntry(id, entry)
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

	-- Checks what the chosen jobs and the payloads behind busy ones will need beyond the keys that were read.
	local function checkKeys(behind)
		local ids, isNeeded = {}, #sets > 0 or #leavingRetries > 0
		for _, job in ipairs(unreadable) do
			ids[#ids + 1] = job.id
		end
		for _, entry in ipairs(behind) do
			isNeeded = isNeeded or entry
		end
		if isNeeded or #ids > 0 then
			checkTypes(ids)
		end
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

	-- Whether the job of an id that is in 'delayed' is delayed, or can't be read. Else the index is wrong: the id may be busy.
	local function isDelayed(entry)
		local place = placeOf(entry)
		return not place or place == IS_DELAYED or place > IS_BLOCKED
	end

	local function chooseOrBury(id, entry)
		local chosen = isPlain(entry) and entry or busyEntry(id, entry)
		if chosen then
			choose(id, chosen)
		else
			unreadable[#unreadable + 1] = { id = id, entry = entry }
		end
	end

	if not outcomes.allDone then
		checkOutcomes(outcomes)
	end
	if now < meta.clock or meta.moving then
		checkTypes({})
		redis.call('LLEN', READY)
		writeThoughFull()
		meta.clock = keepDue(now)
		-- At once: what is found from here on may be damaged
		writeMeta()
	else
		meta.clock = now
	end
	behind = behind or outcomes.allDone and fields(JOBS, outcomes.ids) or {}
	local wanted = meta.paused and 0 or asked
	local last, passed = FIRST_JOB - 1 + 2 * wanted, nothingPassed()
	local suspect = wanted > 0 and withSuspects == 1 and dueIds(SUSPECTS, 1, now)[1]
	if suspect then
		local entry = redis.call('HGET', JOBS, suspect)
		if entry then
			chooseOrBury(suspect, entry)
		end
	end
	local ready = nil
	if inTurn then
		writeThoughFull()
		if not meta.paused then
			inTurn.unpark()
			if inTurn.separator ~= '' then
				inTurn.distribute(now, isDelayed, unreadable)
			end
		end
		-- Also in a paused shard: groups that are named with room return by this call only
		inTurn.choose(wanted, passed, function() return size < last end, chooseOrBury)
	end
	if not (meta.paused or inTurn and inTurn.separator ~= '') then
		ready = firstReady(wanted + 1, head, entries, passed)
	end
	if wanted > 0 and ready then
		local delayedIds, delayedTimes = dueIds(DELAYED, wanted, now)
		local delayedEntries, nth = fields(JOBS, delayedIds), 1
		while size < last do
			local readyAt, delayedAt = ready.time, delayedTimes[nth]
			if delayedAt and (not readyAt or delayedAt <= readyAt) then
				leavingDelayed[nth] = delayedIds[nth]
				if delayedEntries[nth] and isDelayed(delayedEntries[nth]) then
					chooseOrBury(delayedIds[nth], delayedEntries[nth])
				end
				nth = nth + 1
			elseif readyAt then
				chooseOrBury(ready.id, ready.entry)
				nextReady(ready)
			else
				break
			end
		end
	end
	checkKeys(behind)

	writeThoughFull()
	-- Before the outcomes, which may put ids there
	inChunks('ZREM', DELAYED, leavingDelayed)
	if outcomes.allDone then
		finish(outcomes.ids, behind, unblock, now)
	else
		apply(outcomes, now)
	end
	if hasMinInterval then
		-- More than this call may have added
		forgetRested(2 * #outcomes.ids + 10, now)
	end
	if inTurn then
		inTurn.trimLists()
	end
	if wanted > 0 then
		if ready then
			trim(ready)
		end
		forgetVoid(passed)
		if suspect then
			redis.call('ZREM', SUSPECTS, suspect)
		end
		inChunks('ZREM', RETRIES, leavingRetries)
		inChunks('HDEL', JOBS, leaving)
		inChunks('HSET', BUSY, reply, FIRST_JOB)
	end
	removeChosen()

	reply[7] = buried
	local isReady = ready and (ready.time or ready.more)
	if inTurn then
		local others
		reply[8], others = inTurn.left()
		isReady = isReady or others
	end
	return answer(nextDue(isReady, now), nextSuspect(), inTurn and not isReady)
end

return anyAnswer()
