-- Enqueues payloads (rules 1 and 2), all at the same time.
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 the shard's name, for the wake-up
--       3 what the names of the sessions' channels begin with
--       4 the payloads: B flags (1: score given, 2: time is performAt, 4: time is a delay), d score, d time,
--         I4 length, id, I4 length, payload; each
-- Returns how many merged into a queued job, and now.
-- Keeps: an id is queued at most once; its default scores grow strictly (I2). Refused when Redis' memory is full: what
-- only frees memory comes last.

--@include shard
--@include entry
--@include wake

assert(#ARGV == 4, 'four arguments expected')
local exactNow = clock(ARGV[1])
local now = math.floor(exactNow)

local ids, payloads, flags, scores, times = {}, {}, {}, {}, {}
local count, position, packed = 0, 1, ARGV[4]
while position <= #packed do
	count = count + 1
	flags[count], scores[count], times[count], ids[count], payloads[count], position = struct.unpack('>BddI4c0I4c0',
			packed, position)
end

load()
local entries = fields(JOBS, ids)
local busy = redis.call('HLEN', BUSY) > 0 and fields(BUSY, ids) or {}

-- The queued jobs by id. 'new' is the number of the payload that begins a new job, 'top' the largest queued score (nil if
-- it is not known), 'busyTop' that of the busy job.
local jobs, distinct, unreadable = {}, {}, {}
for i, id in ipairs(ids) do
	local job = jobs[id]
	if job then
		redis.call('ZCARD', payloadsOf(id))
	else
		job = entries[i] and readQueued(entries[i])
		if job and job.kind == SINGLE then
			job.payload, job.top = string.sub(entries[i], job.body), job.score
			redis.call('ZCARD', payloadsOf(id))
		elseif job then
			job.top = tonumber(redis.call('ZREVRANGE', payloadsOf(id), 0, 0, 'WITHSCORES')[2])
		else
			if entries[i] then
				unreadable[#unreadable + 1] = i
			end
			job = { kind = SINGLE, place = busy[i] and IS_BEHIND or IS_READY, retry = -1, crashes = 0, new = i }
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

local function begin(i, job)
	job.performAt, job.score, job.payload = performAtOf(i), scoreOf(i, job.busyTop), payloads[i]
	job.top, job.changed = job.score, true
	if job.place == IS_READY and flags[i] >= 2 then
		job.place = IS_DELAYED
	end
end

local function addToSet(i, job)
	local key = payloadsOf(ids[i])
	if job.kind == SINGLE then
		redis.call('ZADD', key, exact(job.score), job.payload)
		job.kind, job.score, job.payload, job.changed = MULTI, 0, '', true
	end
	if flags[i] % 2 == 1 then
		redis.call('ZADD', key, 'LT', exact(scores[i]), payloads[i])
		job.top = nil
		return
	end
	job.top = job.top or tonumber(redis.call('ZREVRANGE', key, 0, 0, 'WITHSCORES')[2]) or NEVER
	local score = scoreOf(i, math.max(job.top, job.busyTop))
	if redis.call('ZADD', key, 'NX', exact(score), payloads[i]) == 1 then
		job.top = score
	end
end

local function merge(i, job)
	local performAt = performAtOf(i)
	if job.retry < 0 and job.place ~= IS_READY and performAt < job.performAt then
		job.performAt, job.changed, job.moved = performAt, true, true
	end
	if job.kind ~= SINGLE or job.payload ~= payloads[i] then
		addToSet(i, job)
	elseif flags[i] % 2 == 1 and scores[i] < job.score then
		job.score, job.top, job.changed = scores[i], scores[i], true
	end
end

local merged = 0
for i, id in ipairs(ids) do
	local job = jobs[id]
	if job.new == i then
		begin(i, job)
	else
		merged = merged + 1
		merge(i, job)
	end
end

local written, ready, delayed, suspects, soonest = {}, {}, {}, {}, math.huge
for _, id in ipairs(distinct) do
	local job = jobs[id]
	local place = job.place
	if job.changed then
		written[#written + 1] = id
		written[#written + 1] = writeEntry(job, job.payload or '')
	end
	if place == IS_READY and job.new then
		ready[#ready + 1] = id
	elseif place == IS_DELAYED and (job.new or job.moved) then
		delayed[#delayed + 1] = exact(job.performAt)
		delayed[#delayed + 1] = id
	elseif place == IS_SUSPECT and job.moved then
		suspects[#suspects + 1] = exact(job.performAt)
		suspects[#suspects + 1] = id
	end
	if place ~= IS_BEHIND and job.performAt < soonest then
		soonest = job.performAt
	end
end
-- The indexes first: if one of them has a wrong type, no job is written that is in no index
local length = each('RPUSH', READY, ready)
each('ZADD', DELAYED, delayed)
each('ZADD', SUSPECTS, suspects)
each('HSET', JOBS, written)
if length > 1000 then
	--@include sweep
	sweepReady(math.max(10, 2 * count))
end
if wakes(soonest) then
	save()
	publish(ARGV[3] .. meta.session, ARGV[2])
end
return { merged, now }
