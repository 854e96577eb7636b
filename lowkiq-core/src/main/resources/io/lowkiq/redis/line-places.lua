-- The ids in line from a place on. A place is the number of entries that ever came before it, so that it stands while
-- jobs are fetched.
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 '1' for descending order
--       3 the place at which to begin, or ''
--       4 the performAt at which to begin, or ''; only a filter if there is a place
--       5 the most entries to look at
-- Returns the place to go on with, or nil at the end; and of each id: place, id, performAt.
-- Keeps: writes nothing.

--@include shard
--@include entry
--@include line

assert(#ARGV == 5, 'five arguments expected')
local descending, place, bound = ARGV[2] == '1', tonumber(ARGV[3]), tonumber(ARGV[4])
local most = assert(tonumber(ARGV[5]))
assert(most > 0)

-- Where entries are stale, each of an id that has some costs a walk over the line.
local MOST_WITH_STALE = 20

-- So many neighbours are asked in place of a stale entry.
local NEIGHBOURS = 50

load()
local length = redis.call('LLEN', LINE)

-- Whether the entry at an index counts: of an id that has stale ones, only the last may.
local function counts(id, index, there)
	if meta.stale == 0 or not redis.call('HGET', STALE, id) then
		return true
	end
	if redis.call('ZSCORE', LATER, id) or redis.call('ZSCORE', SUSPECTS, id) then
		return false
	end
	local last = jobInPlace(id)
	if there or last then
		return last == index
	end
	return redis.call('LPOS', LINE, reference(id), 'RANK', -1) == index
end

-- The id, the entry and what lies in place of an entry of the line.
local function jobOf(element)
	local id, there = readElement(element)
	return id, redis.call('HGET', JOBS, id) or there, there
end

-- The performAt of the job at an index of the list, or of one soon after it.
local function performAtNear(index, stop)
	for i = index, math.min(stop, index + NEIGHBOURS) do
		local element = redis.call('LINDEX', LINE, i)
		local id, entry, there = jobOf(element or '')
		local job = entry and readEntry(entry)
		if job and counts(id, i, there) then
			return job.performAt
		end
	end
	return nil
end

-- How many entries are due before a time; or at it, too.
local function countDueBefore(time, orAtIt)
	local low, high = meta.taken, math.max(length, meta.taken)
	while low < high do
		local middle = math.floor((low + high) / 2)
		local performAt = performAtNear(middle, high - 1)
		if performAt and (performAt < time or orAtIt and performAt == time) then
			low = middle + 1
		else
			high = middle
		end
	end
	return low
end

local first
if place then
	first = place - meta.popped
elseif bound then
	first = descending and countDueBefore(bound, true) - 1 or countDueBefore(bound, false)
else
	first = descending and length - 1 or 0
end
if meta.stale > 0 then
	most = math.min(most, MOST_WITH_STALE)
end
local from, to
if descending then
	to = math.min(first, length - 1)
	from = math.max(to - most + 1, meta.taken)
else
	from = math.max(first, meta.taken)
	to = math.min(from + most, length) - 1
end
if from > to then
	return { false }
end

local elements = redis.call('LRANGE', LINE, from, to)
local reply = { false }
if descending and from > meta.taken then
	reply[1] = meta.popped + from - 1
elseif not descending and to < length - 1 then
	reply[1] = meta.popped + to + 1
end
local function inBounds(performAt)
	if bound and descending then
		return performAt <= bound
	end
	return not bound or performAt >= bound
end

local function add(i)
	local id, entry, there = jobOf(elements[i])
	local job = entry and readEntry(entry)
	local index = from + i - 1
	local wanted = job and (inBounds(job.performAt))
	if wanted and counts(id, index, there) then
		reply[#reply + 1] = meta.popped + index
		reply[#reply + 1] = id
		reply[#reply + 1] = job.performAt
	end
end
for i = 1, #elements do
	add(descending and #elements + 1 - i or i)
end
return reply
