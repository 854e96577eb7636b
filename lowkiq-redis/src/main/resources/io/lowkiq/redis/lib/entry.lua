-- Reading and writing the entries that lib/kinds.lua describes.
--@include kinds
--@include producers

-- The times that only some jobs have, in the order of their flags.
local TIMES = { 'unreadable', 'gathers', 'notBefore' }

-- Reads the times, producers and attempts that only some jobs have; nil if they can't be read.
local function readRest(entry, job, flags)
	for i, name in ipairs(TIMES) do
		if math.floor(flags / 2 ^ i) % 2 == 1 then
			if #entry < job.body + 7 then
				return nil
			end
			job[name], job.body = struct.unpack('>d', entry, job.body)
			if job[name] ~= job[name] then
				return nil
			end
		end
	end
	if math.floor(flags / 16) % 2 == 1 then
		job.producers, job.body = readProducers(entry, job.body)
		if not job.producers then
			return nil
		end
	end
	if flags >= 64 then
		if #entry < job.body + 3 or #entry < job.body + 3 + struct.unpack('>I4', entry, job.body) then
			return nil
		end
		job.attempts, job.body = struct.unpack('>I4c0', entry, job.body)
	end
	job.due = math.floor(flags / 32) % 2 == 1
	return flags < 128 and job or nil
end

-- The job of an entry, and where its body begins; nil if it can't be read. A PLAIN entry is read as SINGLE.
local function readEntry(entry)
	local kind = string.byte(entry)
	if isPlain(entry) then
		local performAt, score = struct.unpack(PLAIN_FORMAT, entry, 2)
		if performAt == performAt and score == score then
			return {
				kind = SINGLE, performAt = performAt, score = score, place = IS_READY, retry = -1, crashes = 0,
				body = PLAIN_BYTES + 1,
			}
		end
	elseif kind and kind >= SINGLE and kind <= BUSY_MULTI and #entry >= HEADER_BYTES then
		local performAt, score, place, retry, crashes, flags, length = struct.unpack(HEADER_FORMAT, entry, 2)
		local body = HEADER_BYTES + length + 1
		if performAt == performAt and score == score and place <= IS_BLOCKED and #entry >= body - 1 then
			local job = {
				kind = kind, performAt = performAt, score = score, place = place, retry = retry, crashes = crashes,
				error = flags % 2 == 1 and string.sub(entry, HEADER_BYTES + 1, body - 1) or nil, body = body,
			}
			return flags < 2 and job or readRest(entry, job, flags)
		end
	end
	return nil
end

-- The entry of a job. The body is what follows the header; of a SINGLE job, the payload.
local function writeEntry(job, body)
	if job.kind == SINGLE and job.place == IS_READY and job.retry < 0 and job.crashes == 0 and not job.error
			and not (job.unreadable or job.gathers or job.notBefore or job.producers or job.due) then
		return writePlain(job.performAt, job.score, body)
	end
	local error, flags, times = job.error or '', job.error and 1 or 0, ''
	for i, name in ipairs(TIMES) do
		if job[name] then
			flags, times = flags + 2 ^ i, times .. struct.pack('>d', job[name])
		end
	end
	if job.producers then
		flags, times = flags + 16, times .. writeProducers(job.producers)
	end
	if job.due then
		flags = flags + 32
	end
	if job.error and job.attempts then
		flags, times = flags + 64, times .. struct.pack('>I4', #job.attempts) .. job.attempts
	end
	return struct.pack('>B', job.kind) .. struct.pack(HEADER_FORMAT, job.performAt, job.score, job.place, job.retry,
			job.crashes, flags, #error) .. error .. times .. body
end

-- The entry of a busy job with these payloads, which ascend by score.
local function writeBusy(job, payloads, scores)
	job.kind, job.score = #payloads > 1 and BUSY_MULTI or SINGLE, scores[#scores]
	if job.kind == SINGLE then
		return writeEntry(job, payloads[1])
	end
	local parts = { struct.pack('>I4', #payloads) }
	for i, payload in ipairs(payloads) do
		parts[i + 1] = struct.pack('>dI4', scores[i], #payload) .. payload
	end
	return writeEntry(job, table.concat(parts))
end

local function readBusyMulti(entry, body)
	local payloads, scores = {}, {}
	local count, position = struct.unpack('>I4', entry, body)
	for i = 1, count do
		scores[i], payloads[i], position = struct.unpack('>dI4c0', entry, position)
		assert(scores[i] == scores[i])
	end
	assert(count > 0)
	return payloads, scores
end

-- A busy job, its payloads and their scores, ascending; nil if it can't be read.
local function readBusy(entry)
	local job = readEntry(entry)
	if job then
		job.held = job.performAt == math.huge
	end
	if job and job.kind == SINGLE then
		return job, { string.sub(entry, job.body) }, { job.score }
	elseif job and job.kind == BUSY_MULTI then
		local readable, payloads, scores = pcall(readBusyMulti, entry, job.body)
		if readable then
			return job, payloads, scores
		end
	end
	return nil
end

-- The queued job of an entry; nil if it can't be read.
local function readQueued(entry)
	local job = readEntry(entry)
	return job and job.kind ~= BUSY_MULTI and job or nil
end

-- The error, the producers and the attempts of a dead job, whose entry lib/morgue.lua describes; nil where there are none.
local function readDead(entry)
	local flags, producers, attempts, position = #entry >= 9 and string.byte(entry, 9) or 0, nil, nil, 10
	if math.floor(flags / 2) % 2 == 1 then
		producers, position = readProducers(entry, 10)
	end
	if flags >= 4 and position then
		local readable, read, after = pcall(struct.unpack, '>I4c0', entry, position)
		attempts, position = readable and read or nil, readable and after or nil
	end
	return flags % 2 == 1 and position and string.sub(entry, position) or nil, producers, attempts
end
