-- The common case of a push, before anything else is defined, because defining functions costs Redis more than running
-- it: one payload, due at once, with the default score, for an id that is not queued or has several payloads. It does
-- what the rest of the script would do, or leaves everything to it; and only it hands a job over to an owner who waits.
local loaded
do
	-- HandOver.MOST_BYTES; what is published goes to all servers of a cluster
	local MOST_HANDED_OVER = 4096

	local function commonPush()
		local jobs, line, meta = KEYS[1], KEYS[2], KEYS[10]
		local flags, _, _, id, payload, behind = struct.unpack('>BddI4c0I4c0', ARGV[4], 1)
		if flags ~= 0 or behind <= #ARGV[4] then
			return nil
		end
		local exactNow = ARGV[1]
		if exactNow == '' then
			local time = redis.call('TIME')
			exactNow = time[1] * 1000 + time[2] / 1000
		else
			exactNow = tonumber(exactNow)
		end
		local now = math.floor(exactNow)
		local found = redis.call('HMGET', meta, 'session', 'epoch', 'seq', 'since', 'tail', 'top', 'wake', 'paused', 'processed',
				'failed', 'stale', 'popped', 'hand')
		loaded = found
		local top, tail = tonumber(found[6]) or -math.huge, tonumber(found[5]) or -math.huge
		local clean, taking = exactNow > top, found[13] == 'take'
		if not clean and not taking then
			return nil
		end
		local score = string.format('%.17g', exactNow)
		local queued = redis.call('HGET', jobs, id)
		if queued then
			if not clean or string.byte(queued, 1) ~= 3 or #queued ~= 30 then
				return nil
			end
			local performAt, largest, _, _, _, length = struct.unpack('>ddi4I4BI4', queued, 2)
			if performAt ~= performAt or largest ~= largest or length > 0 then
				return nil
			end
			redis.call('ZADD', string.sub(jobs, 1, -5) .. 'p:' .. id, 'NX', score, payload)
			redis.call('HSET', meta, 'top', score)
			return { 1, now }
		end

		local wake = tonumber(found[7])
		local wakes = found[8] ~= '1' and wake and found[1] and found[1] ~= '' and now < wake
		local entry = struct.pack('>Bddc0', 1, now, exactNow, payload)
		local text = string.format('%d', now)
		if wakes and taking and #payload <= MOST_HANDED_OVER then
			local stale = tonumber(found[11]) or 0
			local void = stale > 0 and redis.call('LLEN', line) == stale and 1 or 0
			-- Nothing is handed over to an owner who died: such a job would count as caught in a crash. Of a cluster, each
			-- server knows only who listens to it
			local heard = redis.pcall('PUBSUB', 'NUMSUB', ARGV[3] .. found[1])
			if (heard[2] or 0) > 0 and redis.call('EXISTS', line, KEYS[4], KEYS[7]) == void then
				-- What a call of the owner would do, as its next step. The number of the step is that of no other, not
				-- even of one that a failover forgot
				local last = tonumber(found[3]) or 0
				local step = math.max(math.floor(exactNow * 1000), last + 1)
				local message = ARGV[2] .. '\0' .. struct.pack('>dddddI4c0', tonumber(found[2]), last, step, now, wake, #id, id)
						.. entry
				redis.call('HSET', KEYS[7], id, entry)
				redis.call('HSET', meta, 'tail', tail < now and text or found[5], 'top', clean and score or found[6],
						'wake', '', 'seq', string.format('%d', step), 'hand', string.format('%d', last))
				redis.pcall('PUBLISH', ARGV[3] .. found[1], message)
				return { 0, now }
			end
		end
		if not clean or now < tail then
			return nil
		end
		redis.call('HSET', jobs, id, entry)
		redis.call('RPUSH', line, id)
		if wakes then
			redis.call('HSET', meta, 'tail', text, 'top', score, 'wake', '')
			redis.pcall('PUBLISH', ARGV[3] .. found[1], ARGV[2])
		else
			redis.call('HSET', meta, 'tail', text, 'top', score)
		end
		return { 0, now }
	end

	assert(#ARGV == 4, 'four arguments expected')
	local reply = commonPush()
	if reply then
		return reply
	end
end
