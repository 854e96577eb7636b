-- One page of a list of jobs.
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 QUEUED, READY, DELAYED, SCHEDULED, HELD, SUSPECTS, RETRIES, BUSY or DEAD
--       3 '1' for descending order
--       4 what the ids begin with, or ''
--       5 the number (an index, a score or a cursor) of the position after which the page begins, or ''
--       6 the id at that position
--       7 the maximum number of jobs
--       8 the maximum number of payloads of each job
--       9 the maximum number of bytes of each error; '' for whole errors with the attempts
-- Returns the number and the id of the position after which the next page begins, or nil and '' at the end; and the jobs as
-- in lib/views.lua.
-- Keeps: writes nothing; looks at a bounded number of jobs, so a page may be short.

--@include keys
--@include commands
--@include entry
--@include ready
--@include views

assert(#ARGV == 9, 'nine arguments expected')
local list, descending, prefix, number, after = ARGV[2], ARGV[3] == '1', ARGV[4], ARGV[5], ARGV[6]
local limit, payloads, errors = assert(tonumber(ARGV[7])), assert(tonumber(ARGV[8])), tonumber(ARGV[9])

-- A page ends with the job with which it has so many payloads.
local MAX_PAYLOADS = 1000

-- How many ids of a list are looked at.
local STEP = math.max(limit, 500)

-- The ids of the step, the number of the place of each, and their entries where they are known.
local ids, numbers, entries = {}, {}, {}

-- The place where the next step begins, if there is one.
local nextNumber, nextId = false, ''

-- Whether one id comes before another by its bytes, as in a sorted set among equal scores. Lua's own < goes by the locale.
local function before(one, other)
	for i = 1, math.min(#one, #other) do
		local a, b = string.byte(one, i), string.byte(other, i)
		if a ~= b then
			return a < b
		end
	end
	return #one < #other
end

-- An order of ids that lasts, and is quicker.
local function sorted(one, other)
	return one < other or not (other < one) and before(one, other)
end

-- A hash has no order but that of its cursor. A step may be larger than a page: within one, jobs are in the order of their
-- ids, of which any order that lasts will do.
local function scan(hash)
	local cursor = number == '' and '0' or number
	local found = redis.call('HSCAN', hash, cursor, 'COUNT', (prefix == '' and list ~= 'READY') and limit or 250)
	local known = {}
	for i = 1, #found[2], 2 do
		local id = found[2][i]
		known[id] = found[2][i + 1]
		if after == '' or sorted(after, id) then
			ids[#ids + 1] = id
		end
	end
	table.sort(ids, sorted)
	for i, id in ipairs(ids) do
		numbers[i], entries[i] = cursor, known[id]
	end
	if found[1] ~= '0' then
		nextNumber = found[1]
	end
end

-- How far back an id is searched for that has moved because jobs before it were fetched.
local MAX_MOVED = 10000

-- The index at which a page of the list 'ready' begins; nil if there is none.
local function readyStart()
	local index = tonumber(number)
	if not index then
		return descending and redis.call('LLEN', READY) - 1 or 0
	end
	if redis.call('LINDEX', READY, index) ~= after then
		local moved = redis.call('LPOS', READY, after, 'MAXLEN', math.min(index + 1, MAX_MOVED))
		if moved then
			index = moved
		elseif index < MAX_MOVED then
			-- It has left the list, and with it all that were before it
			return not descending and 0 or nil
		end
	end
	return descending and index - 1 or index + 1
end

local function walkReady()
	local start = readyStart()
	if not start or start < 0 then
		return
	end
	local first = descending and math.max(start - STEP + 1, 0) or start
	local named = redis.call('LRANGE', READY, first, descending and start or start + STEP - 1)
	local count, seen = #named, {}
	for i = 1, count do
		local offset = descending and count - i or i - 1
		local id = named[offset + 1]
		if not seen[id] then
			ids[#ids + 1], numbers[#numbers + 1], seen[id] = id, first + offset, true
		end
	end
	if count == STEP then
		nextNumber, nextId = numbers[#ids], ids[#ids]
	end
end

-- How many members come before the id with the score; with the id itself, if so asked.
local function countBefore(set, withId)
	local low, high = redis.call('ZCOUNT', set, '-inf', '(' .. number), redis.call('ZCOUNT', set, '-inf', number)
	while low < high do
		local middle = math.floor((low + high) / 2)
		local member = redis.call('ZRANGE', set, middle, middle)[1]
		if before(member, after) or withId and member == after then
			low = middle + 1
		else
			high = middle
		end
	end
	return low
end

-- Of the delayed jobs, the due ones come first, and those on hold last. The scheduled ones are between them.
local function walkSet(set)
	local isHeld, isScheduled, first = list == 'HELD', list == 'SCHEDULED', 0
	local now = isScheduled and clock(ARGV[1])
	if number ~= '' then
		first = descending and redis.call('ZCARD', set) - countBefore(set, false) or countBefore(set, true)
	elseif isHeld and not descending then
		first = redis.call('ZCOUNT', set, '-inf', '(+inf')
	elseif isScheduled then
		first = descending and redis.call('ZCOUNT', set, '+inf', '+inf') or redis.call('ZCOUNT', set, '-inf', exact(now))
	end
	local found = redis.call(descending and 'ZREVRANGE' or 'ZRANGE', set, first, first + STEP - 1, 'WITHSCORES')
	for i = 1, #found, 2 do
		local held = found[i + 1] == 'inf'
		if not isScheduled and (not isHeld or held) or isScheduled and not held and tonumber(found[i + 1]) > now then
			ids[#ids + 1], numbers[#numbers + 1] = found[i], found[i + 1]
		end
	end
	if #ids == STEP then
		nextNumber, nextId = numbers[STEP], ids[STEP]
	end
end

local hash = list == 'BUSY' and BUSY or list == 'DEAD' and MORGUE or JOBS
if list == 'QUEUED' or list == 'BUSY' or list == 'READY' and redis.call('EXISTS', TURNS) == 1 then
	-- The ready jobs of groups are in many lists, which change places with each turn
	scan(hash)
elseif list == 'READY' then
	walkReady()
else
	local sets = { DELAYED = DELAYED, SCHEDULED = DELAYED, HELD = DELAYED, SUSPECTS = SUSPECTS, RETRIES = RETRIES, DEAD = MORGUE_TIMES }
	walkSet(assert(sets[list], 'unknown list'))
end

local count = 0
for i, id in ipairs(ids) do
	if count == limit or shown >= MAX_PAYLOADS then
		nextNumber, nextId = numbers[i - 1], ids[i - 1]
		break
	end
	if string.sub(id, 1, #prefix) == prefix then
		local entry = entries[i] or redis.call('HGET', hash, id)
		if entry and (list ~= 'READY' or readyTime(entry)) then
			addView(hash, id, entry, payloads, errors)
			count = count + 1
		end
	end
end
return { nextNumber and tostring(nextNumber), nextId, views }
