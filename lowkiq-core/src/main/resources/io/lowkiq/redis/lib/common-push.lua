-- The common case of a push, before anything else is defined, because defining functions costs Redis more than running
-- it: one payload, due at once, with the default score, for an id that is not queued or has several payloads. It does
-- what the rest of the script would do, or leaves everything to it; and only it hands a job over to an owner who waits.
local loaded
do
	-- HandOver.MOST_BYTES; what is published goes to all servers of a cluster
	local MOST_HANDED_OVER = 4096
	-- As in push.lua
	local MOST_IN_PLACE = 1024

	local function commonPush()
		local meta = KEYS[1]
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
		local state = redis.call('GET', meta)
		loaded = state
		if not state or #state < STATE_BYTES then
			return nil
		end
		local kind, paused, young, others, epoch, stale, popped, taken, processed, seq, hand, wake, tail, top, _, _, born =
				struct.unpack(STATE, state)
		local clean, taking = exactNow > top, hand == TAKES
		if kind ~= STATE_KIND or not clean and not taking then
			return nil
		end
		local base = string.sub(meta, 1, -5)
		local queued = others ~= 0 and redis.call('HGET', base .. 'jobs', id)
		if queued then
			local kindOfEntry = string.byte(queued, 1)
			if not clean or kindOfEntry ~= 3 and kindOfEntry ~= 5 or #queued ~= 30 then
				return nil
			end
			local performAt, largest, _, _, _, length = struct.unpack('>ddi4I4BI4', queued, 2)
			if performAt ~= performAt or largest ~= largest or length > 0 then
				return nil
			end
			redis.call('ZADD', base .. 'p:' .. id, 'NX', string.format('%.17g', exactNow), payload)
			redis.call('SETRANGE', meta, TOP_AT, struct.pack('>d', exactNow))
			return { 1, now }
		end

		local line, session = base .. 'line', string.sub(state, STATE_BYTES + 1)
		local wakes = paused == 0 and session ~= '' and now < wake
		if wakes and taking and #id <= 255 and #payload <= MOST_HANDED_OVER then
			-- Nothing is handed over to an owner who died: such a job would count as caught in a crash. Of a cluster, each
			-- server knows only who listens to it
			local heard = redis.pcall('PUBSUB', 'NUMSUB', ARGV[3] .. session)
			local void = stale > 0 and redis.call('LLEN', line) == stale and 1 or 0
			local there = others == 0 and redis.call('EXISTS', line)
					or redis.call('EXISTS', line, base .. 'suspects', base .. 'busy')
			if (heard[2] or 0) > 0 and there == void then
				-- What a call of the owner would do, as its next step. The number of the step is that of no other, not
				-- even of one that a failover forgot
				local step = math.max(math.floor(exactNow * 1000), seq + 1)
				local entry = struct.pack('>BddBc0', 6, now, exactNow, #id, id) .. payload
				local message = ARGV[2] .. '\0' .. struct.pack('>dddddI4c0', epoch, seq, step, now, wake, #id, id) .. entry
				if void == 0 then
					redis.call('RPUSH', line, entry)
				else
					redis.call('HSET', base .. 'busy', id, entry)
					redis.call('SETRANGE', meta, OTHERS_AT, '\1')
				end
				redis.call('SETRANGE', meta, TAKEN_AT, struct.pack('>ddddddd', 1 - void, processed, step, seq, NEVER,
						math.max(tail, now), math.max(top, exactNow)))
				redis.pcall('PUBLISH', ARGV[3] .. session, message)
				return { 0, now }
			end
		end
		if not clean or now < tail or #id > 255 or #payload > MOST_IN_PLACE then
			return nil
		end
		local index = base .. (young == 0 and 'ids:0' or 'ids:1')
		local stretch = tonumber(redis.call('HGET', index, id) or nil) or not (popped >= born)
				and tonumber(redis.call('HGET', base .. (young == 0 and 'ids:1' or 'ids:0'), id) or nil)
		if stretch and 16 * stretch + 16 > popped + taken then
			return nil
		end
		local length = redis.call('RPUSH', line, struct.pack('>BddBc0', 6, now, exactNow, #id, id) .. payload)
		redis.call('HSET', index, id, string.format('%d', (popped + length - 1) / 16))
		if wakes then
			redis.call('SETRANGE', meta, WAKE_AT, struct.pack('>ddd', NEVER, now, exactNow))
			redis.pcall('PUBLISH', ARGV[3] .. session, ARGV[2])
		else
			redis.call('SETRANGE', meta, TAIL_AT, struct.pack('>dd', now, exactNow))
		end
		return { 0, now }
	end

	assert(#ARGV == 4, 'four arguments expected')
	local reply = commonPush()
	if reply then
		return reply
	end
end
