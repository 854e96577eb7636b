-- The entries of the list 'line', and which ids they hold.
--   B IN_JOBS, id            the job lies in 'jobs'
--   an entry of kind IN_PLACE   the job lies here, unless 'jobs' has one for the id
-- Where an id lies whose job is in place, tell two hashes, 'ids:0' and 'ids:1': id -> I4 position, d score. A position
-- is the number of entries that ever came before it, modulo 2^32. Nothing is taken out of them when a job is fetched:
-- what they say of a position that has left the line is void. New ids go into the one that meta.young names, and when
-- all that the other one says is void, it is dropped and they change places.
local IN_JOBS = 0
local POSITIONS = 2 ^ 32

-- So many performed ids the young one of both hashes holds before it is the old one.
local MANY_VOID = 512

-- Reads an entry of the line: the id, and the job's entry if it lies here. One that can't be read is a job that can't
-- be read, of an id that is the whole of it.
local function readElement(element)
	local kind, length = string.byte(element, 1), string.byte(element, 18)
	if kind == IN_JOBS then
		return string.sub(element, 2), nil
	end
	if kind == IN_PLACE and length and #element >= 18 + length then
		return string.sub(element, 19, 18 + length), element
	end
	return element, ''
end

local function reference(id)
	return '\0' .. id
end

local function indexName(which)
	return BASE .. 'ids:' .. which
end

-- The names of the hashes that may say something, the young one first.
local function indexes()
	if meta.popped >= meta.born then
		return { indexName(meta.young) }
	end
	return { indexName(meta.young), indexName(1 - meta.young) }
end

-- The index in the list at which a hash says that an id lies, from 0 on, and the score; nil if that is void.
local function readIndexed(value, length)
	if not value or #value ~= 12 then
		return nil
	end
	local position, score = struct.unpack('>I4d', value)
	local index = (position - meta.popped) % POSITIONS
	if index < length and score == score then
		return index, score
	end
	return nil
end

-- Where the job of an id lies in place, from 0 on, and its score; nil if none does.
local function indexed(id)
	local length = redis.call('LLEN', LINE)
	if length > 0 then
		for _, name in ipairs(indexes()) do
			local index, score = readIndexed(redis.call('HGET', name, id), length)
			if index then
				return index, score
			end
		end
	end
	return nil
end

-- The entry of the job that lies in place for an id; nil if there is none.
local function entryInPlace(id)
	local index = indexed(id)
	local element = index and redis.call('LINDEX', LINE, index)
	if element then
		local found, entry = readElement(element)
		if found == id then
			return entry
		end
	end
	return nil
end

-- The queued job of an id, wherever it lies; nil if there is none.
local function queuedEntry(id)
	return redis.call('HGET', JOBS, id) or entryInPlace(id)
end

-- What lies in place for an id does so no more.
local function forgetInPlace(id)
	for _, name in ipairs(indexes()) do
		redis.call('HDEL', name, id)
	end
end

-- Drops what is void, after entries have left the line.
local function dropVoid()
	if meta.popped < meta.born then
		return
	end
	local length = redis.call('LLEN', LINE)
	if length == 0 and meta.popped > meta.born then
		redis.call('UNLINK', indexName(0), indexName(1))
		set('born', meta.popped)
	elseif meta.popped - meta.born >= MANY_VOID then
		redis.call('UNLINK', indexName(1 - meta.young))
		set('young', 1 - meta.young)
		set('born', meta.popped + length)
	end
end

-- Appends entries to the line; returns how many were in it before.
local function append(elements)
	local count, length = #elements, 0
	for first = 1, count, CHUNK do
		length = redis.call('RPUSH', LINE, unpack(elements, first, math.min(first + CHUNK - 1, count)))
	end
	return length - count
end
