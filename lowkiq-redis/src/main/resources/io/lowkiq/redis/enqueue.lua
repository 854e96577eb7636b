-- Enqueues payloads (rules 1 and 2) as if they came at the same time, and wakes the owner.
--
-- KEYS  those of the shard; for an outbox, also its calls, as in lib/calls.lua
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 and 3 as in lib/wake.lua
--       4 the payloads, each: B flags (1: score given, 2: time is performAt, 4: time is a delay, 8: traced, 16: a
--         follow-up), d score, d time, I4 length, id, I4 length, payload; if it is traced, B the maximum number of producers
--         to keep, c25 the producer; if it is a follow-up, I4 length, the shard in which it waited, d the epoch under which
--         it was written, d its number, two d what this shard remembers of that one as lib/origins.lua has it. All
--         follow-ups of a call come from one shard
--       5 to 7 for an outbox: its name, and the number and the token of this call. Without payloads, nothing is changed
--       8 and 9 if it keeps what it has sent: the number and the token of its last call, as far as it knows
-- Returns how many payloads merged into a queued job, -1 if the shard is closed, or has no 'meta', or -2 if it remembers something
-- else; now; then, with -1, the epoch of the closing, or 0; with -2, what it remembers. For an outbox: -3 if the shard has
-- forgotten calls, or -4 if a later holder of its lock has called; then, or without payloads, the number and the token of the
-- last call.
-- Keeps: an id is queued at most once; its default scores grow strictly (I2). A follow-up is enqueued once, and none is left
-- out: those of one shard come in the order of epoch and number, and after what the mover knew when it read them. Redis
-- refuses the call when its memory is full, so commands that only free memory come last.

--@include shard
--@include plain
--@include wake
--@include mostly-void

assert(#ARGV == 4 or #ARGV == 7 or #ARGV == 9, 'four, seven or nine arguments expected')
local exactNow = clock(ARGV[1])
local now = math.floor(exactNow)

-- The usual call: one new job that is due now, with nothing else to remember. It is a plain job of any call, written by the
-- same functions. What other calls need is defined behind it, since defining that takes longer than this call.
local entries, busy -- what it reads of an id that is queued or busy; other calls don't read that again
if not (meta.closed or meta.isMissing or meta.policy or meta.moving) and now >= meta.clock and (string.byte(ARGV[4]) or 2) < 2 then
	local flags, score, _, id, payload, position = struct.unpack('>BddI4c0I4c0', ARGV[4])
	if position > #ARGV[4] then
		entries, busy = { redis.call('HGET', JOBS, id) }, { redis.call('HGET', BUSY, id) }
		if not (entries[1] or busy[1]) then
			local note
			if ARGV[5] then
				--@include calls
				local answer = answerWithoutEnqueue(1, now)
				if answer then
					return answer
				end
				note = noteCall
			end
			-- The index first: if it has a wrong type, no job is written that is in no index
			local length = redis.call('RPUSH', READY, id)
			redis.call('HSET', JOBS, id, writePlain(now, flags == 1 and score or exactNow, payload))
			if note then
				note(now)
			end
			if isMostlyVoid(length) then
				--@include sweep
				sweepReady(10, now)
			end
			wake(now)
			return { 0, now }
		end
	end
end

-- Any other call. A function, since what is defined in it takes less time than what is defined in the script itself.
local function anyReply()
	--@include commands
	--@include entry
	--@include parked
	--@include gathering

	local ids, payloads, flags, scores, times, producers = {}, {}, {}, {}, {}, {}
	local count, position, packed, repeated = 0, 1, ARGV[4], 0

	-- The shard from which follow-ups come, what is remembered of it, and whether the mover knows that.
	local source, last, isKnown, isIn

	-- Whether a follow-up is enqueued for the first time.
	local function isFirst(from, epoch, number, knownEpoch, knownNumber)
		if not last then
			--@include origins
			source, last = from, remembered(FOLLOW_UPS, from)
			isKnown, isIn = last.epoch == knownEpoch and last.number == knownNumber, includes
		end
		assert(source == from, 'follow-ups of one shard expected')
		if not isKnown or isIn(last, epoch, number) then
			return false
		end
		last.epoch, last.number = epoch, number
		return true
	end

	while position <= #packed do
		count = count + 1
		flags[count], scores[count], times[count], ids[count], payloads[count], position = struct.unpack('>BddI4c0I4c0',
				packed, position)
		if flags[count] >= 8 then
			local isFollowUp = flags[count] >= 16
			producers[count] = nil
			if flags[count] % 16 >= 8 then
				local most, trace
				most, trace, position = struct.unpack('>Bc25', packed, position)
				producers[count] = { most = most, more = 0, traces = trace }
			end
			flags[count] = flags[count] % 8
			if isFollowUp then
				local from, epoch, number, knownEpoch, knownNumber
				from, epoch, number, knownEpoch, knownNumber, position = struct.unpack('>I4c0dddd', packed, position)
				if not isFirst(from, epoch, number, knownEpoch, knownNumber) then
					ids[count], producers[count], count, repeated = nil, nil, count - 1, repeated + 1
				end
			end
		end
	end

	if meta.closed or meta.isMissing then
		return { -1, now, meta.epoch }
	end
	if last and not isKnown then
		return { -2, now, last.epoch, last.number }
	end
	local note
	if ARGV[5] then
		--@include calls
		local answer = answerWithoutEnqueue(count, now)
		if answer then
			return answer
		end
		note = noteCall
	end
	local policy = meta.policy
	entries = entries or fields(JOBS, ids)
	busy = busy or redis.call('HLEN', BUSY) > 0 and fields(BUSY, ids) or {}
	if now < meta.clock or meta.moving then
		-- What comes after the clock has gone back waits by that clock, so the jobs that were due before have to be told apart
		-- from it first, at least for these ids. Errors come before the first write.
		--@include clock
		redis.call('LLEN', READY)
		redis.call('ZCARD', RESTING)
		for _, id in ipairs(ids) do
			redis.call('ZCARD', payloadsOf(id))
		end
		meta.clock = keepDue(now, ids)
		writeMeta()
		entries = fields(JOBS, ids)
	end

	local function newJob(i)
		return {
			kind = SINGLE, place = busy[i] and IS_BLOCKED or IS_READY, retry = -1, crashes = 0, new = i, busyTop = NEVER,
		}
	end

	-- The queued jobs by id. 'new' is the number of the payload that begins a new job, 'top' the largest queued score (nil if
	-- it is not known), 'busyTop' that of the busy job.
	local jobs = {}

	-- Plain jobs, as that of the usual call: each is only the number of its payload. A table for each would cost half as much
	-- again in a large batch.
	local plain = {}

	local distinct, unreadable = {}, {}
	for i, id in ipairs(ids) do
		if jobs[id] or plain[id] then
			redis.call('ZCARD', payloadsOf(id))
			if plain[id] then
				jobs[id], plain[id] = newJob(plain[id]), nil
			end
		elseif not entries[i] and not busy[i] and flags[i] < 2 and not policy and not producers[i] then
			plain[id], distinct[#distinct + 1] = i, id
		else
			local job = entries[i] and readQueued(entries[i])
			if job and job.kind == SINGLE then
				job.payload, job.top = string.sub(entries[i], job.body), job.score
				redis.call('ZCARD', payloadsOf(id))
			elseif job then
				job.top = tonumber(redis.call('ZREVRANGE', payloadsOf(id), '0', '0', 'WITHSCORES')[2])
			end
			if job then
				job.moved = boundWait(job, now)
				if job.place == IS_BLOCKED and not busy[i] then
					-- It would be performed never: the id is not busy
					job.place, job.moved = job.crashes >= SUSPECT_AFTER and IS_SUSPECT or IS_DELAYED, true
					job.performAt = job.due and job.performAt < math.huge and math.min(job.performAt, now) or job.performAt
					job.due = nil
				end
				job.changed = job.moved
			else
				if entries[i] then
					unreadable[#unreadable + 1] = i
				end
				job = newJob(i)
				if policy and policy.minInterval > 0 and not busy[i] then
					local rests = tonumber(redis.call('ZSCORE', RESTING, id) or nil)
					-- If the clock has gone back, not longer than from now on
					job.notBefore = rests and math.min(rests, now + policy.minInterval)
				end
			end
			local running = busy[i] and readEntry(busy[i])
			job.busyTop = running and running.score or NEVER
			jobs[id], distinct[#distinct + 1] = job, id
		end
	end
	if #unreadable > 0 then
		--@include morgue
		local wrong = {}
		for _, i in ipairs(unreadable) do
			wrong[#wrong + 1] = ids[i]
		end
		checkTypes(wrong)
		for _, i in ipairs(unreadable) do
			buryUnreadableQueued(ids[i], entries[i], now)
		end
	end

	-- The next larger double, as Java's Math.nextUp.
	local function nextUp(x)
		local mantissa, exponent = math.frexp(x)
		if x == 0 or exponent <= -1021 then
			return x + math.ldexp(1, -1074)
		end
		if mantissa == -0.5 then
			return math.ldexp(mantissa * 2 ^ 54 + 1, exponent - 54)
		end
		return math.ldexp(mantissa * 2 ^ 53 + 1, exponent - 53)
	end

	-- The score of the i-th payload, given the largest one that is queued or busy.
	local function scoreOf(i, largest)
		if flags[i] % 2 == 1 then
			return scores[i]
		end
		return largest >= exactNow and nextUp(largest) or exactNow
	end

	local function performAtOf(i)
		return flags[i] >= 4 and now + times[i] or flags[i] >= 2 and times[i] or now
	end

	-- How many payloads a job has.
	local function countOf(i, job)
		return job.kind == SINGLE and 1 or redis.call('ZCARD', payloadsOf(ids[i]))
	end

	-- Lets a fresh job wait for more payloads, and keep its distance from the last perform of its id. A payload with a time of
	-- its own waits for that time only. A job that is ready is due already.
	local function gather(i, job)
		if policy.debounce > 0 and flags[i] < 2 and (job.new == i or job.place ~= IS_READY) then
			local limit = job.gathers or math.min(job.new ~= i and job.performAt or math.huge, now + policy.maxWait)
			if countOf(i, job) >= policy.maxPayloads then
				limit = math.min(limit, now)
			end
			job.gathers, job.performAt = limit, math.min(now + policy.debounce, limit)
			job.place, job.due = job.place == IS_READY and IS_DELAYED or job.place, nil
		end
		job.performAt = math.max(job.performAt, job.notBefore or NEVER)
		job.changed, job.moved = true, true
	end

	local function begin(i, job)
		job.performAt, job.score, job.payload = performAtOf(i), scoreOf(i, job.busyTop), payloads[i]
		job.top, job.changed, job.producers = job.score, true, producers[i]
		if job.place == IS_READY and (flags[i] >= 2 or job.notBefore) then
			job.place = IS_DELAYED
		end
		if policy then
			gather(i, job)
		end
	end

	local function addToSet(i, job)
		local key = payloadsOf(ids[i])
		if job.kind == SINGLE then
			redis.call('ZADD', key, exact(job.score), job.payload)
			job.kind, job.score, job.payload, job.changed = MULTI, 0, '', true
		end
		if flags[i] % 2 == 1 then
			redis.call('ZADD', key, policy and policy.equalLatest and 'GT' or 'LT', exact(scores[i]), payloads[i])
			job.top = nil
			return
		end
		job.top = job.top or tonumber(redis.call('ZREVRANGE', key, '0', '0', 'WITHSCORES')[2]) or NEVER
		local score = scoreOf(i, math.max(job.top, job.busyTop))
		if policy and policy.equalLatest then
			redis.call('ZADD', key, exact(score), payloads[i])
			job.top = score
		elseif redis.call('ZADD', key, 'NX', exact(score), payloads[i]) == 1 then
			job.top = score
		end
	end

	-- Keeps only the latest payload of a job.
	local function keepLatest(i, job)
		if job.kind ~= SINGLE then
			local key = payloadsOf(ids[i])
			local top = redis.call('ZREVRANGE', key, '0', '0', 'WITHSCORES')
			redis.call('UNLINK', key)
			job.kind, job.payload, job.score, job.changed = SINGLE, top[1] or '', tonumber(top[2]) or NEVER, true
			job.top = job.score
		end
		local score = scoreOf(i, math.max(job.score, job.busyTop))
		if score >= job.score then
			job.payload, job.score, job.top, job.changed = payloads[i], score, score, true
		end
	end

	-- Adds a payload to those of a job.
	local function add(i, job)
		if policy and policy.keepLatest then
			keepLatest(i, job)
		elseif job.kind ~= SINGLE or job.payload ~= payloads[i] then
			addToSet(i, job)
		elseif policy and policy.equalLatest then
			local score = scoreOf(i, math.max(job.score, job.busyTop))
			if score > job.score then
				job.score, job.top, job.changed = score, score, true
			end
		elseif flags[i] % 2 == 1 and scores[i] < job.score then
			job.score, job.top, job.changed = scores[i], scores[i], true
		end
	end

	local function merge(i, job)
		if producers[i] then
			job.producers, job.changed = uniteProducers(job.producers, producers[i]), true
		end
		add(i, job)
		if job.performAt == math.huge then
			return
		end
		local performAt = performAtOf(i)
		if job.retry >= 0 or job.unreadable then
			if not (policy and policy.retryNow) or job.unreadable then
				return
			end
			performAt = math.max(flags[i] < 2 and now + policy.debounce or performAt, job.notBefore or NEVER)
		elseif policy and policy.debounce > 0 and flags[i] < 2 then
			return gather(i, job)
		else
			if job.gathers then
				job.gathers, job.changed = math.min(job.gathers, performAt), true
			end
			performAt = math.max(performAt, job.notBefore or NEVER)
		end
		if job.place ~= IS_READY and performAt < job.performAt then
			job.performAt, job.changed, job.moved = performAt, true, true
		end
	end

	local merged = 0
	for i, id in ipairs(ids) do
		local job = jobs[id]
		if job and job.new == i then
			begin(i, job)
		elseif job then
			merged = merged + 1
			merge(i, job)
		end
	end

	local written, ready, indexed, soonest = {}, {}, { [IS_DELAYED] = {}, [IS_SUSPECT] = {} }, math.huge
	local function write(id, job)
		local index = indexed[job.place]
		if job.place == IS_BLOCKED and job.performAt <= now and not job.due then
			job.due, job.changed = true, true
		end
		if job.changed then
			written[#written + 1] = id
			written[#written + 1] = writeEntry(job, job.payload or '')
		end
		if index and (job.new or job.moved) then
			index[#index + 1] = exact(indexScore(job.performAt))
			index[#index + 1] = id
		elseif job.place == IS_READY and job.new then
			ready[#ready + 1] = id
		end
		if job.place ~= IS_BLOCKED and job.performAt < soonest then
			soonest = job.performAt
		end
	end
	for _, id in ipairs(distinct) do
		local i = plain[id]
		if i then
			written[#written + 1] = id
			written[#written + 1] = writePlain(now, scoreOf(i, NEVER), payloads[i])
			ready[#ready + 1], soonest = id, math.min(soonest, now)
		else
			write(id, jobs[id])
		end
	end
	-- The indexes first: if one of them has a wrong type, no job is written that is in no index
	local _, length = inChunks('RPUSH', READY, ready)
	for place, index in pairs(indexed) do
		inChunks('ZADD', INDEXES[place], index)
	end
	inChunks('HSET', JOBS, written)
	if note then
		note(now)
	end
	if last and last.epoch > 0 then
		redis.call('ZADD', FOLLOW_UPS, exact(-last.epoch), 'epoch:' .. source, exact(-last.number), 'number:' .. source)
	end
	if isMostlyVoid(length) then
		--@include sweep
		sweepReady(math.max(10, 2 * count), now)
	end
	wake(soonest)
	return { merged + repeated, now }
end

return anyReply()
