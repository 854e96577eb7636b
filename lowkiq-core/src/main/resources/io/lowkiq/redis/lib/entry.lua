-- How a job lies in the hashes 'jobs' and 'busy' (big-endian):
--   PLAIN    B kind, d performAt, d score, payload              fresh, no crash, no error, one payload
--   SINGLE   header, payload                                    one payload
--   MULTI    header                                             queued; payloads in a sorted set of the id
--   FIRST    header                                             the same, but one payload, and performAt, are left in the line
--   TAKEN    header, I4 count, (d score, I4 length, payload)*   busy, several payloads; header.score is the largest
--   IN_PLACE B kind, d performAt, d score, B length, id, payload   in the line or busy: a PLAIN one with its id
--   header:  B kind, d performAt, d score, i4 retryCount, I4 crashes, B whether there is an error, I4 length, error
local PLAIN, SINGLE, MULTI, TAKEN, FIRST, IN_PLACE = 1, 2, 3, 4, 5, 6
local HEADER = 30

-- The header of an entry and where its body begins; nil if it can't be read.
local function readEntry(entry)
	local kind = string.byte(entry, 1)
	local body = kind == PLAIN and 18 or kind == IN_PLACE and 19 + (string.byte(entry, 18) or #entry)
	if body and #entry >= body - 1 then
		local performAt, score = struct.unpack('>dd', entry, 2)
		if performAt == performAt and score == score then
			return { kind = PLAIN, performAt = performAt, score = score, retry = -1, crashes = 0, body = body }
		end
	elseif kind and kind >= SINGLE and kind <= FIRST and #entry >= HEADER then
		local performAt, score, retry, crashes, failed, length = struct.unpack('>ddi4I4BI4', entry, 2)
		if performAt == performAt and score == score and #entry >= HEADER + length then
			return {
				kind = kind,
				performAt = performAt,
				score = score,
				retry = retry,
				crashes = crashes,
				error = failed == 1 and string.sub(entry, HEADER + 1, HEADER + length) or nil,
				body = HEADER + 1 + length,
			}
		end
	end
	return nil
end

-- An entry; body is the payload of a PLAIN or SINGLE one (which of them is decided here), or what follows the header.
local function writeEntry(kind, job, score, body)
	if kind == PLAIN then
		kind = SINGLE
	end
	if kind == SINGLE and job.retry < 0 and job.crashes == 0 and not job.error then
		return struct.pack('>Bddc0', PLAIN, job.performAt, score, body)
	end
	return struct.pack('>Bddi4I4BI4c0', kind, job.performAt, score, job.retry, job.crashes, job.error and 1 or 0,
			#(job.error or ''), job.error or '') .. body
end

-- The entry of a busy job with these payloads, which ascend by score.
local function writeBusy(job, payloads, scores)
	if #payloads == 1 then
		return writeEntry(SINGLE, job, scores[1], payloads[1])
	end
	local parts = { struct.pack('>I4', #payloads) }
	for i, payload in ipairs(payloads) do
		parts[i + 1] = struct.pack('>dI4c0', scores[i], #payload, payload)
	end
	return writeEntry(TAKEN, job, scores[#scores], table.concat(parts))
end

local function readTaken(entry, body)
	local payloads, scores = {}, {}
	local count, position = struct.unpack('>I4', entry, body)
	for i = 1, count do
		scores[i], payloads[i], position = struct.unpack('>dI4c0', entry, position)
		assert(scores[i] == scores[i])
	end
	assert(count > 0)
	return payloads, scores
end

-- A busy job and its payloads, ascending by score; nil if it can't be read.
local function readBusy(entry)
	local job = readEntry(entry)
	if not job or job.kind == MULTI or job.kind == FIRST then
		return nil
	end
	if job.kind ~= TAKEN then
		return job, { string.sub(entry, job.body) }, { job.score }
	end
	local readable, payloads, scores = pcall(readTaken, entry, job.body)
	if readable then
		return job, payloads, scores
	end
	return nil
end

-- Adds payloads to the sorted set of an id; an equal one keeps the smaller score (rule 1).
local function addPayloads(key, payloads, scores)
	local arguments = {}
	for i, payload in ipairs(payloads) do
		arguments[#arguments + 1] = exact(scores[i])
		arguments[#arguments + 1] = payload
	end
	for first = 1, #arguments, CHUNK do
		redis.call('ZADD', key, 'LT', unpack(arguments, first, math.min(first + CHUNK - 1, #arguments)))
	end
end
