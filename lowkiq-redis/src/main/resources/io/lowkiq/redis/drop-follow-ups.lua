-- Drops follow-ups that wait in a shard.
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 the follow-ups, each: d epoch, d number
-- Returns how many of them were still waiting.
-- Keeps: others keep their numbers, and so their order. The epoch and the number name a follow-up for ever, so a late call
-- drops no other.

--@include shard
--@include commands

assert(#ARGV == 2, 'two arguments expected')
local members = {}
for position = 1, #ARGV[2], 16 do
	local name, number = string.sub(ARGV[2], position, position + 15), exact(struct.unpack('>d', ARGV[2], position + 8))
	for _, member in ipairs(redis.call('ZRANGEBYSCORE', FOLLOW_UPS, number, number)) do
		if string.sub(member, 1, 16) == name then
			members[#members + 1] = member
		end
	end
end
inChunks('ZREM', FOLLOW_UPS, members)
return { #members }
