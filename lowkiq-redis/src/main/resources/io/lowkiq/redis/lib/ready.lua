-- The list 'ready'.

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
			local size = from == 0 and cursor.size or math.min(250, cursor.most - from)
			cursor.named = redis.call('LRANGE', READY, exact(from), exact(from + size - 1))
			cursor.entries = fields(JOBS, cursor.named)
			cursor.from, cursor.place, cursor.more = from, 1, #cursor.named == size
		end
		local id, entry = cursor.named[cursor.place], cursor.entries[cursor.place]
		if entry and not cursor.seen[id] then
			cursor.id, cursor.entry, cursor.time = id, entry, readyTime(entry)
			cursor.seen[id] = cursor.time
		end
	end
	cursor.read = cursor.from + cursor.place - 1
end

-- A cursor at the first id that is not void, for a caller that will need a number of ids.
local function firstReady(size)
	local cursor = {
		named = {}, entries = {}, seen = {}, from = 0, place = 0, more = true, size = size, most = size + MAX_VOID,
		read = 0,
	}
	nextReady(cursor)
	return cursor
end
