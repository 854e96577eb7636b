-- The common case of a turn, before anything else is defined, because defining functions costs Redis more than running
-- it: all outcomes are Done; all that is due are jobs in line with one payload each, in a shard without suspects, stale
-- entries and jobs in 'later' that are due; or nothing is due. It does what the rest of the script would do, with as
-- few commands, or leaves everything to it. Tables begin as large as one job needs: letting them grow costs as much as
-- a command.
do
	local MOST = 1000
	local call = redis.call

	local function commonTurn()
		local jobs, line, later, suspects, busy, meta = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
		local state = call('GET', meta)
		if not state or #state < STATE_BYTES then
			return nil
		end
		local kind, paused, current, stale, popped, processed, seq, _, _, tail = struct.unpack(STATE, state)
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
		local ids = call('LRANGE', line, '0', wanted)
		local taken = #ids
		local entries = taken > 0 and call('HMGET', jobs, unpack(ids))
		local now = ARGV[1]
		if now == '' then
			local time = call('TIME')
			now = time[1] * 1000 + math.floor(time[2] / 1000)
		else
			now = math.floor(tonumber(now))
		end
		local reply, time = { false, false, now, 0, sequence, meta, nil, nil }, nil
		for i = 1, taken do
			local entry = entries[i]
			if not entry or string.byte(entry, 1) ~= 1 or #entry < 17 then
				return nil
			end
			time = struct.unpack('>d', entry, 2)
			if not (time <= now and time <= tail) then
				return nil
			end
			if i <= wanted then
				reply[2 * i + 5], reply[2 * i + 6] = ids[i], entry
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
				ids[taken] = nil
				taken = wanted
			end
			if taken == 1 then
				call('LPOP', line)
			else
				call('LTRIM', line, taken, '-1')
			end
			call('HDEL', jobs, unpack(ids))
			call('HSET', busy, unpack(reply, 7))
		else
			wake, hand = reply[1] or math.huge, flags >= 2 and TAKES or NO_HAND
			if count == 0 then
				call('PERSIST', meta)
			end
		end
		call('SETRANGE', meta, POPPED_AT, struct.pack('>ddddd', popped + taken, processed + gone, sequence, hand, wake))
		return reply
	end

	assert(#ARGV == 3, 'three arguments expected')
	local reply = commonTurn()
	if reply then
		return reply
	end
end
