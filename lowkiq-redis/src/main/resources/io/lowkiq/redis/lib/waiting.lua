-- The follow-ups that wait in a shard, in the order of their numbers.

-- Those after a number, each as the epoch under which it was written, its number, and the follow-up: at most as many, and
-- as many bytes, unless the first one is larger.
local function waitingFollowUps(after, most, mostBytes)
	local found = redis.call('ZRANGEBYSCORE', FOLLOW_UPS, '(' .. exact(after), '+inf', 'WITHSCORES', 'LIMIT', '0', exact(most))
	local reply, bytes = {}, 0
	for i = 1, #found, 2 do
		bytes = bytes + #found[i]
		if #reply > 0 and bytes > mostBytes then
			break
		end
		local epoch = #found[i] >= 16 and struct.unpack('>d', found[i]) or 0
		reply[#reply + 1], reply[#reply + 2], reply[#reply + 3] = epoch, tonumber(found[i + 1]), string.sub(found[i], 17)
	end
	return reply
end
