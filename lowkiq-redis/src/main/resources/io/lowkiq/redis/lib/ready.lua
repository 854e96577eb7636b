-- The list 'ready' has the ids of ready jobs in the order in which they became ready, and void elements, which name no ready
-- job. A job that leaves its place other than by a fetch leaves its element behind. So that this is void also when the id
-- becomes ready again, the hash 'void' has, for each such id, how many of its elements are void: the first of them. The lists
-- of groups (lib/groups.lua) are the same, and have what was at the head of 'ready' before.
--@include commands

-- Maximum number of void ids skipped per call.
local MAX_VOID = 1000

-- When the job of an id in the list is due: at its performAt if it is ready, nil if the id is void. An entry that can't be
-- read is always due, so that it is found and buried.
local function readyTime(entry)
	local place = placeOf(entry)
	if not place then
		return NEVER
	end
	if place ~= IS_READY then
		return nil
	end
	local performAt = struct.unpack('>d', entry, 2)
	return performAt == performAt and performAt or NEVER
end

-- How many of the first elements of each id in the list are void, although the id may be ready again further on.
local function voidCounts(ids)
	local counts = {}
	if #ids > 0 and redis.call('HLEN', VOID) > 0 then
		for i, count in ipairs(fields(VOID, ids)) do
			counts[ids[i]] = tonumber(count or nil)
		end
	end
	return counts
end

-- What the cursors of a call have passed: ids that are not void, the void elements of each id that were not passed, and those
-- that were.
local function nothingPassed()
	return { seen = {}, counts = {}, void = {} }
end

-- Forgets the void elements that the cursors of a call have passed.
local function forgetVoid(passed)
	for id, number in pairs(passed.void) do
		if redis.call('HINCRBY', VOID, id, -number) <= 0 then
			redis.call('HDEL', VOID, id)
		end
	end
end

-- Drops the elements of a list that its cursor has passed.
local function trim(cursor)
	if cursor.read > 0 then
		redis.call('LTRIM', cursor.key, exact(cursor.read), '-1')
	end
end

-- The same, for the only cursor of a call.
local function trimOnly(cursor)
	forgetVoid(cursor.passed)
	trim(cursor)
end

-- Reads the next elements of the list, from the cursor's on.
local function readMore(cursor)
	local size = cursor.from == 0 and cursor.size or math.min(cursor.step, cursor.most - cursor.from)
	local isRead = cursor.from == 0 and cursor.head
	cursor.named = isRead and cursor.head or redis.call('LRANGE', cursor.key, exact(cursor.from), exact(cursor.from + size - 1))
	cursor.entries = isRead and cursor.headEntries or fields(JOBS, cursor.named)
	cursor.place, cursor.more = 1, #cursor.named == size
	for id, count in pairs(voidCounts(cursor.named)) do
		cursor.passed.counts[id] = cursor.passed.counts[id] or count
	end
end

-- Whether an element of the list is void by its count. It is passed.
local function passVoid(passed, id)
	local left = passed.counts[id]
	if not left or left == 0 then
		return false
	end
	passed.counts[id], passed.void[id] = left - 1, (passed.void[id] or 0) + 1
	return true
end

-- Moves a cursor to the next id that is not void.
--   id, entry, time  the job; nil if there is none, or too many void ids come before it
--   read             the number of ids before it
--   more             whether the list goes on
local function nextReady(cursor)
	cursor.id, cursor.time = nil, nil
	while not cursor.time do
		cursor.place = cursor.place + 1
		if cursor.place > #cursor.named then
			local from = cursor.from + #cursor.named
			if not cursor.more or from >= cursor.most then
				cursor.read = from
				return
			end
			cursor.from = from
			readMore(cursor)
		end
		local id, entry = cursor.named[cursor.place], cursor.entries[cursor.place]
		if id and not passVoid(cursor.passed, id) and entry and not cursor.passed.seen[id] then
			cursor.id, cursor.entry, cursor.time = id, entry, readyTime(entry)
			cursor.passed.seen[id] = cursor.time
		end
	end
	cursor.read = cursor.from + cursor.place - 1
end

-- A cursor at the first id of a list that is not void, for a caller that will need a number of ids, and looks at a maximum
-- number of elements; it may have read as many elements and their entries.
local function firstOf(key, size, most, passed, head, headEntries)
	local cursor = {
		key = key, passed = passed, head = head, headEntries = headEntries, named = {}, entries = {}, from = 0, place = 0,
		more = true, size = size, step = key == READY and 250 or math.max(size, 25), most = most, read = 0,
	}
	nextReady(cursor)
	return cursor
end

-- A cursor at the first id of 'ready' that is not void.
local function firstReady(size, head, headEntries, passed)
	return firstOf(READY, size, size + MAX_VOID, passed or nothingPassed(), head, headEntries)
end
