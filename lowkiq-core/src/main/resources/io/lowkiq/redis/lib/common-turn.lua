-- The common case of a turn, before anything else is defined, because defining functions costs Redis more than running
-- it: all outcomes are Done; all that is due are jobs that lie in the line, in a shard without suspects, stale entries
-- and jobs in 'later' that are due; or nothing is due. It does what the rest of the script would do, with as
-- few commands, or leaves everything to it. Tables begin as large as one job needs: letting them grow costs as much as
-- a command.
do
	local MOST = 1000
	-- As in lib/line.lua
	local MANY_VOID = 512
	local call = redis.call

	local function commonTurn()
		local jobs, line, later, suspects, busy, meta = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
		local state = call('GET', meta)
		if not state or #state < STATE_BYTES then
			return nil
		end
		local kind, paused, young, current, stale, popped, processed, seq, _, _, tail, _, _, _, born =
				struct.unpack(STATE, state)
		local epoch, sequence, wanted, _, flags, session = struct.unpack('>ddI4I4BI4c0', ARGV[2])
		if kind ~= STATE_KIND or epoch ~= current or sequence ~= seq + 1 or session ~= string.sub(state, STATE_BYTES + 1)
				or wanted < 1 or wanted > MOST or paused ~= 0 or stale ~= 0 then
			return nil
		end

		local packed = ARGV[3]
		local done, count, position, length = { false }, 0, 1, #packed
		while position <= length do
			local outcome, id, behind = struct.unpack('>BI4c0', packed, position)
			if outcome ~= 0 or count == MOST then
				return nil
			end
			count, position = count + 1, behind
			done[count] = id
		end
		local elements = call('LRANGE', line, '0', wanted)
		local taken = #elements
		if taken == 0 and popped > born then
			return nil
		end
		local now = ARGV[1]
		if now == '' then
			local time = call('TIME')
			now = time[1] * 1000 + math.floor(time[2] / 1000)
		else
			now = math.floor(tonumber(now))
		end
		local reply, time = { false, false, now, 0, sequence, meta, nil, nil }, nil
		for i = 1, taken do
			local element = elements[i]
			local behind = 18 + (string.byte(element, 18) or #element)
			if behind > #element then
				return nil
			end
			local kindOfEntry, performAt, _, id = struct.unpack('>BddBc0', element)
			if kindOfEntry ~= 6 or not (performAt <= now and performAt <= tail) then
				return nil
			end
			time = performAt
			if i <= wanted then
				reply[2 * i + 5], reply[2 * i + 6] = id, element
			end
		end
		if taken > 0 and call('EXISTS', jobs) > 0 then
			local ids = {}
			for i = 1, taken do
				ids[i] = struct.unpack('>Bc0', elements[i], 18)
			end
			for _, entry in ipairs(call('HMGET', jobs, unpack(ids))) do
				if entry then
					return nil
				end
			end
		end

		-- From here on the rest of the script would find the outcomes applied
		local gone = count > 0 and call('HDEL', busy, unpack(done)) or 0
		local wake, hand = NEVER, NO_HAND
		if call('EXISTS', busy, later, suspects) > 0 then
			local soonest = tonumber(call('ZRANGE', later, '0', '0', 'WITHSCORES')[2])
			if not soonest or soonest <= now or call('EXISTS', busy, suspects) > 0 then
				if gone > 0 then
					call('SETRANGE', meta, PROCESSED_AT, struct.pack('>d', processed + gone))
				end
				return nil
			end
			reply[1] = soonest
		end
		if taken > 0 then
			if taken > wanted then
				reply[1] = time
				taken = wanted
			end
			if taken == 1 then
				call('LPOP', line)
			else
				call('LTRIM', line, taken, '-1')
			end
			call('HSET', busy, unpack(reply, 7))
		else
			wake, hand = reply[1] or math.huge, flags >= 2 and TAKES or NO_HAND
			if count == 0 then
				call('PERSIST', meta)
			end
		end
		popped = popped + taken
		if popped >= born and popped - born >= MANY_VOID then
			young = 1 - young
			call('UNLINK', string.sub(jobs, 1, -5) .. 'ids:' .. young)
			call('SETRANGE', meta, YOUNG_AT, string.char(young))
			call('SETRANGE', meta, BORN_AT, struct.pack('>d', popped + call('LLEN', line)))
		end
		call('SETRANGE', meta, POPPED_AT, struct.pack('>ddddd', popped, processed + gone, sequence, hand, wake))
		return reply
	end

	assert(#ARGV == 3, 'three arguments expected')
	local reply = commonTurn()
	if reply then
		return reply
	end
end
