-- Drops follow-ups that wait in a shard.
--
-- KEYS  those of the shard; then, if another shard has enqueued the follow-ups, its 'follow-ups', unless Redis is a cluster
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 the follow-ups, each: d epoch, d number
--       3 the shard from which the other one has got them, or '' if none has
-- Returns how many of them were still waiting; and 1 if some still are, since the other shard has forgotten them.
-- Keeps: others keep their numbers, and so their order. The epoch and the number name a follow-up for ever, so a late call
-- drops no other. What another shard has enqueued is dropped only if that is seen in the same step, as in
-- move-follow-ups.lua.

--@include shard
--@include commands
--@include origins

assert(#ARGV == 3, 'three arguments expected')
local other = KEYS[SHARD_KEYS + 1]
local last = other and remembered(other, ARGV[3])
local members, isForgotten = {}, false
for position = 1, #ARGV[2], 16 do
	local name = string.sub(ARGV[2], position, position + 15)
	local epoch, number = struct.unpack('>dd', name)
	for _, member in ipairs(redis.call('ZRANGEBYSCORE', FOLLOW_UPS, exact(number), exact(number))) do
		if string.sub(member, 1, 16) == name then
			if last and not includes(last, epoch, number) then
				isForgotten = true
			else
				members[#members + 1] = member
			end
		end
	end
end
inChunks('ZREM', FOLLOW_UPS, members)
return { #members, isForgotten and 1 or 0 }
