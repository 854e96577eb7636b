-- The entries of the list 'line', and which ids they hold. An entry is one of
--   B IN_JOBS, id               the job lies in 'jobs'
--   one of kind IN_PLACE        the job lies here, unless 'jobs' has one for its id
-- The first meta.taken entries are busy. They stay until the owner tells that all of them are done, which is the common
-- case; in any other they are moved to 'busy' first.
--
-- Which ids lie in place tell two hashes, 'ids:0' and 'ids:1': id -> the number of its stretch. The first STRETCH entries
-- that ever were in the line are stretch 0, and so on; a number for a whole stretch, because to write one for each entry
-- costs a push more than all the rest. Nothing is taken out of the hashes when a job is fetched, so that this needs no
-- look into them: what they say of a stretch that has left the line, or is busy, is void. New ids go into the one that
-- meta.young names; when all that the other one says is void, it is dropped; and they change places.
local IN_JOBS = 0
local STRETCH = 16

-- So many void ids are in the young one of both hashes before it becomes the old one.
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

-- The first and the last index in the list, from 0 on, at which an id may lie by what a hash says; nil if it is void.
local function readStretch(value, length)
	local first = (tonumber(value or nil) or -1) * STRETCH - meta.popped
	local last = math.min(first + STRETCH, length) - 1
	first = math.max(first, meta.taken)
	if first <= last and first % 1 == 0 then
		return first, last
	end
	return nil
end

-- Where between two indexes the job of an id lies in place, and its entry; nil if it doesn't.
local function findInPlace(id, first, last)
	local found, entry = nil, nil
	for i, element in ipairs(redis.call('LRANGE', LINE, first, last)) do
		local other, there = readElement(element)
		if there and other == id then
			found, entry = first + i - 1, there
		end
	end
	return found, entry
end

-- Where the job of an id lies in place, from 0 on, and its entry; nil if none does.
local function jobInPlace(id)
	local length = redis.call('LLEN', LINE)
	if length > meta.taken then
		for _, name in ipairs(indexes()) do
			local first, last = readStretch(redis.call('HGET', name, id), length)
			local index, entry = nil, nil
			if first then
				index, entry = findInPlace(id, first, last)
			end
			if index then
				return index, entry
			end
		end
	end
	return nil
end

-- The queued job of an id, wherever it lies; nil if there is none.
local function queuedEntry(id)
	local entry = redis.call('HGET', JOBS, id)
	if entry then
		return entry
	end
	return select(2, jobInPlace(id))
end

-- What lies in place for an id does so no more.
local function forgetInPlace(id)
	for _, name in ipairs(indexes()) do
		redis.call('HDEL', name, id)
	end
end

-- The entries at the head of the line that are busy: ids and entries in turn.
local function readTakenInPlace()
	local pairs = {}
	if meta.taken > 0 then
		for i, element in ipairs(redis.call('LRANGE', LINE, 0, meta.taken - 1)) do
			pairs[2 * i - 1], pairs[2 * i] = readElement(element)
		end
	end
	return pairs
end

-- All busy jobs: ids and entries in turn.
local function readBusyJobs()
	local all = redis.call('HGETALL', BUSY)
	for _, value in ipairs(readTakenInPlace()) do
		all[#all + 1] = value
	end
	return all
end

-- Removes what is busy in the line. What it writes of the state stands if the rest of the script fails.
local function removeTakenInPlace()
	if meta.taken > 0 then
		redis.call('LTRIM', LINE, meta.taken, -1)
		set('popped', meta.popped + meta.taken)
		set('taken', 0)
		redis.call('SETRANGE', META, POPPED_AT, struct.pack('>dd', meta.popped, meta.taken))
	end
end

-- Two busy entries of one id as one.
local function join(one, other)
	local job, payloads, scores = readBusy(one)
	local _, more, moreScores = readBusy(other)
	if not job or not more then
		return one
	end
	for i, payload in ipairs(more) do
		local place = #payloads + 1
		while place > 1 and moreScores[i] < scores[place - 1] do
			place = place - 1
		end
		table.insert(payloads, place, payload)
		table.insert(scores, place, moreScores[i])
	end
	return writeBusy(job, payloads, scores)
end

-- Moves what is busy in the line to 'busy', as a step of its own like that. Where the state or the hashes of ids were
-- lost, an id may lie in the line twice; it is one job.
local function moveTakenToBusy()
	if meta.taken > 0 then
		writeThoughFull()
		local busy, at = {}, {}
		local taken = readTakenInPlace()
		for i = 1, #taken, 2 do
			local id, place = taken[i], at[taken[i]]
			if place then
				busy[place] = join(busy[place], taken[i + 1])
			else
				place = #busy + 2
				busy[place - 1], busy[place], at[id] = id, taken[i + 1], place
			end
		end
		each('HSET', BUSY, busy)
		redis.call('SETRANGE', META, OTHERS_AT, '\1')
		meta.others = true
		removeTakenInPlace()
	end
end

-- Drops what is void, after entries have left the line.
local function dropVoid()
	local void = meta.popped - meta.born
	if void < 0 then
		return
	end
	local length = redis.call('LLEN', LINE)
	if length == 0 and void > 0 then
		redis.call('UNLINK', indexName(0), indexName(1))
		set('born', meta.popped)
	elseif void >= MANY_VOID then
		redis.call('UNLINK', indexName(1 - meta.young))
		set('young', 1 - meta.young)
		set('born', meta.popped + length)
	elseif poppedBefore < meta.born then
		redis.call('UNLINK', indexName(1 - meta.young))
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
