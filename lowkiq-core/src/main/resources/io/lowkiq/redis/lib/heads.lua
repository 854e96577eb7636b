-- The jobs that are next in the queue.

-- So many stale entries of the line are passed over at once.
local MAX_STALE = 10000

-- The first entries of the line that count, at least `wanted` of them if there are.
--   ids, entries, times   the jobs; the entry is false where there is none, its time is `now` if it can't be true
--   inPlace               the entries that lie in the line itself; 'jobs' may have others for their ids
--   at                    their places in the list, from 1 on
--   stale, staleAt        ids and places of the stale entries among them
--   read                  how many entries of the list were looked at
--   more                  whether the list goes on after these
local function readLine(wanted, now)
	local line = {
		ids = {}, entries = {}, times = {}, inPlace = {}, at = {}, stale = {}, staleAt = {}, read = meta.taken, more = true,
	}
	local void = {}
	local onlyInPlace = redis.call('EXISTS', JOBS) == 0
	while line.more and #line.ids < wanted and #line.stale < MAX_STALE do
		local ids, lying = redis.call('LRANGE', LINE, line.read, line.read + wanted - 1), {}
		for i, element in ipairs(ids) do
			ids[i], lying[i] = readElement(element)
		end
		local counting, at = ids, nil
		if meta.stale > 0 then
			local counts = fields(STALE, ids)
			counting, at = {}, {}
			for i, id in ipairs(ids) do
				local left = void[id] or tonumber(counts[i]) or 0
				if left > 0 then
					void[id] = left - 1
					line.stale[#line.stale + 1] = id
					line.staleAt[#line.staleAt + 1] = line.read + i
				else
					counting[#counting + 1] = id
					at[#at + 1] = line.read + i
				end
			end
		end
		local entries = onlyInPlace and {} or fields(JOBS, counting)
		local base = #line.ids
		for i, id in ipairs(counting) do
			local there = lying[at and at[i] - line.read or i]
			local entry = entries[i] or there or false
			local performAt = now
			local timed = there or entry
			if timed and #timed >= 17 then
				performAt = struct.unpack('>d', timed, 2)
				if not (performAt <= meta.tail) then
					performAt = now
				end
			end
			line.ids[base + i] = id
			line.entries[base + i] = entry
			line.inPlace[base + i] = there
			line.times[base + i] = performAt
			line.at[base + i] = at and at[i] or line.read + i
		end
		line.read = line.read + #ids
		line.more = #ids == wanted
	end
	return line
end

-- The first jobs of 'later', like readLine().
local function readLater(wanted)
	local found = redis.call('ZRANGE', LATER, 0, wanted - 1, 'WITHSCORES')
	local later = { ids = {}, entries = {}, times = {}, more = #found == 2 * wanted }
	for i = 1, #found, 2 do
		later.ids[(i + 1) / 2] = found[i]
		later.times[(i + 1) / 2] = tonumber(found[i + 1])
	end
	return later
end

-- When the job at a place is due; where the place is past what was read, it may be at once.
local function dueAt(heads, i, now)
	return heads.times[i] or (heads.more and now) or nil
end

-- The first suspects: ids and times in turn.
local function readSuspects(wanted)
	return redis.call('ZRANGE', SUSPECTS, 0, wanted - 1, 'WITHSCORES')
end

-- The smaller of two times that may be nil.
local function earlier(one, other)
	return (one and other and math.min(one, other)) or one or other
end

-- When the next job that is no suspect is due; nil if there is none.
local function nextDue(now)
	return earlier(dueAt(readLine(1, now), 1, now), dueAt(readLater(1), 1, now))
end

-- When the next suspect is due; nil if there is none.
local function nextSuspect()
	return tonumber(readSuspects(1)[2])
end

-- A time as an answer: nil for a time that is nil, or while the queue is paused.
local function answer(time)
	return not meta.paused and time or false
end
