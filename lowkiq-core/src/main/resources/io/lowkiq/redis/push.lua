-- Enqueues payloads (rules 1 and 2), all at the same time; or hands the only one over to the owner who waits.
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 the shard's name, for the wake-up
--       3 what the names of the sessions' channels begin with
--       4 the payloads: B flags (1: score given, 2: time is performAt, 4: time is a delay), d score, d time,
--         I4 length, id, I4 length, payload; each
-- Returns how many merged into a queued job, and now.
-- Keeps: an id is queued at most once; its default scores grow strictly (I2); the line ascends by performAt.

--@include state
--@include common-push
--@include shard
--@include entry
--@include line
--@include morgue
--@include queue

local exactNow = clock(ARGV[1])
local now = math.floor(exactNow)

-- A payload without flags has none in the table, nor a score and a time
local ids, payloads, flags, scores, times = {}, {}, {}, {}, {}
local count, position, packed = 0, 1, ARGV[4]
local length, parse = #packed, struct.unpack
while position <= length do
	local flag, score, time, id, payload, behind = parse('>BddI4c0I4c0', packed, position)
	count, position = count + 1, behind
	ids[count], payloads[count] = id, payload
	if flag ~= 0 then
		flags[count], scores[count], times[count] = flag, score, time
	end
end

load(loaded)
local entries = meta.others and fields(JOBS, ids) or {}

-- A job with a longer payload, or an id of more than 255 bytes, lies in 'jobs', so that to look at the head of the line
-- is cheap.
local MOST_IN_PLACE = 1024

-- How far from an end of the line Redis finds an entry quickly.
local NEAR = 4096

-- Where the jobs lie that are in place, by id.
local inPlace, lineLength = {}, nil
do
	local asking = ids
	if meta.others then
		asking = {}
		for i, id in ipairs(ids) do
			if not entries[i] then
				asking[#asking + 1] = id
			end
		end
	end
	for _, name in ipairs(#asking > 0 and indexes() or {}) do
		for i, value in ipairs(fields(name, asking)) do
			if value and not inPlace[asking[i]] then
				lineLength = lineLength or redis.call('LLEN', LINE)
				local first, last = readStretch(value, lineLength)
				if first and (first > meta.taken or findInPlace(asking[i], first, last)) then
					inPlace[asking[i]] = first
				end
			end
		end
	end
end

-- Whether the score of the i-th payload is given.
local function isGiven(i)
	return (flags[i] or 0) % 2 == 1
end

-- Above all scores of the shard, "now" needs no look at what is queued and busy.
local clean = exactNow > meta.top
local busy = {}
if not clean then
	local asking = {}
	for i, id in ipairs(ids) do
		if not isGiven(i) then
			asking[#asking + 1] = id
		end
	end
	for i, entry in ipairs(fields(BUSY, asking)) do
		busy[asking[i]] = entry
	end
	local taken = readTakenInPlace()
	for i = 1, #taken, 2 do
		busy[taken[i]] = taken[i + 1]
	end
end

-- Ids that are queued, or come twice
local seen, repeated, touched, anyTouched = {}, {}, {}, false
for i = 1, count do
	local id = ids[i]
	if seen[id] then
		repeated[id] = true
	end
	if (entries[i] or inPlace[id] or seen[id]) and not touched[id] then
		touch(id)
		touchDead(id)
		touched[id], anyTouched = true, true
	end
	seen[id] = true
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

local top = meta.top

-- The score of the i-th payload, given the largest one that is queued for its id.
local function scoreOf(i, largest)
	local score = scores[i]
	if not isGiven(i) then
		local taken = busy[ids[i]] and readEntry(busy[ids[i]])
		if taken then
			largest = math.max(largest, taken.score)
		end
		score = largest >= exactNow and nextUp(largest) or exactNow
	end
	top = math.max(top, score)
	return score
end

-- The queued jobs of this call by id: what is known of them, and 'payload' where there is only one that is known.
local jobs, written = {}, {}
local inLine, later = {}, {}
local merged, tail, soonest = 0, meta.tail, math.huge

local function write(id, job)
	if not job.written then
		job.written = true
		written[#written + 1] = id
	end
end

local function new(i)
	local performAt = now
	local id, flag = ids[i], flags[i] or 0
	if flag >= 4 then
		performAt = now + times[i]
	elseif flag >= 2 then
		performAt = times[i]
	end
	if flag < 2 and performAt >= tail then
		tail = performAt
		inLine[#inLine + 1] = reference(id)
	else
		later[#later + 1] = exact(performAt)
		later[#later + 1] = id
	end
	soonest = math.min(soonest, performAt)
	local job = {
		kind = SINGLE, performAt = performAt, score = scoreOf(i, -math.huge), retry = -1, crashes = 0,
		payload = payloads[i],
	}
	jobs[id] = job
	write(id, job)
end

local function merge(i, job)
	local id, payload = ids[i], payloads[i]
	local given = isGiven(i)
	merged = merged + 1
	if job.kind ~= MULTI and job.payload == payload then
		if given and scores[i] < job.score then
			job.score = scoreOf(i)
			write(id, job)
		end
		return
	end
	local key = payloadsOf(id)
	local largest = -math.huge
	if job.kind == FIRST then
		if not entries[i] then
			write(id, job)
		end
	elseif job.kind ~= MULTI then
		largest = job.score
		redis.call('ZADD', key, exact(job.score), job.payload)
		job.kind, job.score, job.payload = MULTI, 0, nil
		write(id, job)
	elseif not given and not (clean and not job.touched) then
		largest = tonumber(redis.call('ZREVRANGE', key, 0, 0, 'WITHSCORES')[2]) or largest
	end
	job.touched = true
	redis.call('ZADD', key, given and 'LT' or 'NX', exact(scoreOf(i, largest)), payload)
end

-- The job that lies in place for an id. Far from the ends, its payload is left there and not known.
local function merging(id, index)
	if clean and not repeated[id] and math.min(index, lineLength - index) > NEAR then
		return { kind = FIRST, performAt = 0, score = 0, retry = -1, crashes = 0 }
	end
	local job, entry = queued(id, now)
	if job then
		job.payload = string.sub(entry, job.body)
	end
	return job
end

local function add(i, id)
	local job = jobs[id]
	if not job and entries[i] then
		job = readEntry(entries[i])
		if job and job.kind == FIRST and (repeated[id] or not clean) then
			job = queued(id, now)
			jobs[id] = job
			write(id, job)
		elseif job and job.kind ~= TAKEN then
			job.payload = job.kind <= SINGLE and string.sub(entries[i], job.body) or nil
			jobs[id] = job
		else
			job = queued(id, now)
		end
	elseif not job and inPlace[id] then
		job = merging(id, inPlace[id])
		jobs[id] = job
	end
	if job then
		merge(i, job)
	else
		new(i)
	end
end

-- The common case takes no detour: a new id that comes once in this call, due at once, with the default score.
local common = clean and now >= tail
local head, headInPlace = struct.pack('>Bdd', PLAIN, now, exactNow), struct.pack('>Bdd', IN_PLACE, now, exactNow)
local headsByLength = {}
local fieldsToSet, places, placed = {}, {}, 0
for i, id in ipairs(ids) do
	if not common or flags[i] or touched[id] then
		add(i, id)
	elseif #payloads[i] <= MOST_IN_PLACE and #id <= 255 then
		local place, length = #inLine + 1, #id
		local headOfLength = headsByLength[length]
		if not headOfLength then
			headOfLength = headInPlace .. string.char(length)
			headsByLength[length] = headOfLength
		end
		inLine[place] = headOfLength .. id .. payloads[i]
		places[placed + 1], places[placed + 2] = id, place
		placed = placed + 2
	else
		inLine[#inLine + 1] = reference(id)
		fieldsToSet[#fieldsToSet + 1] = id
		fieldsToSet[#fieldsToSet + 1] = head .. payloads[i]
	end
end
if common and #inLine > 0 then
	tail, soonest, top = now, math.min(soonest, now), math.max(top, exactNow)
end

for _, id in ipairs(written) do
	local job = jobs[id]
	fieldsToSet[#fieldsToSet + 1] = id
	fieldsToSet[#fieldsToSet + 1] = writeEntry(job.kind, job, job.score, job.payload or '')
end
each('HSET', JOBS, fieldsToSet)
if #inLine > 0 then
	dropLost()
	local before = meta.popped + append(inLine) - 1
	local stretch, text = nil, nil
	for i = 2, placed, 2 do
		local number = math.floor((before + places[i]) / STRETCH)
		if number ~= stretch then
			stretch, text = number, string.format('%d', number)
		end
		places[i] = text
	end
	each('HSET', indexName(meta.young), places)
end
each('ZADD', LATER, later)
if tail > meta.tail then
	set('tail', tail)
end
if top > meta.top then
	set('top', top)
end
local wake = not meta.paused and wakes(soonest)
save(meta.others or #fieldsToSet > 0 or #later > 0 or anyTouched)
if wake then
	publish(ARGV[3] .. meta.session, ARGV[2])
end
return { merged, now }
