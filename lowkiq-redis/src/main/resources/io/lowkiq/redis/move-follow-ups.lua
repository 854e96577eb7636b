-- Removes follow-ups that have been enqueued, and returns the next ones (I6).
--
-- KEYS  those of the shard; then, of each shard that has enqueued some, 'follow-ups': none of them if Redis is a cluster
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 the owner's session
--       3 the owner's epoch
--       4 the shard
--       5 the enqueued follow-ups, by the shard that has enqueued them: I4 length, its name, I4 how many, d number each
--       6 the number after which the returned follow-ups begin
--       7 the maximum number of follow-ups to return
--       8 the maximum number of bytes to return, unless the first follow-up is larger
-- Returns 0, then the next follow-ups as lib/waiting.lua does; only 0 if the lease is not current; only 1 if a shard has
-- forgotten that it has enqueued one.
-- Keeps: only follow-ups that are in their queues are removed. A failover may have forgotten the enqueue and not the
-- follow-up: the shard that has enqueued it is looked at in the same step, unless it is in another slot. No number is given
-- twice under one epoch, so a late call removes no others.

--@include shard
--@include commands
--@include owner
--@include origins
--@include waiting

assert(#ARGV == 8, 'eight arguments expected')
local epoch, after = assert(tonumber(ARGV[3])), assert(tonumber(ARGV[6]))
local most, mostBytes = assert(tonumber(ARGV[7])), assert(tonumber(ARGV[8]))

if meta.session ~= ARGV[2] or meta.epoch ~= epoch then
	return { 0 }
end

local packed, position, targets, enqueued, isForgotten = ARGV[5], 1, {}, {}, false
while position <= #packed do
	local name, count
	name, count, position = struct.unpack('>I4c0I4', packed, position)
	local key = KEYS[SHARD_KEYS + #targets / 2 + 1]
	local last = key and remembered(key, ARGV[4])
	targets[#targets + 1], targets[#targets + 2] = SENT, 'sent:' .. name
	for _ = 1, count do
		local number
		number, position = struct.unpack('>d', packed, position)
		local member = redis.call('ZRANGEBYSCORE', FOLLOW_UPS, exact(number), exact(number))[1]
		if member and last and not includes(last, epochOf(member), number) then
			isForgotten = true
		else
			enqueued[#enqueued + 1] = member
		end
	end
end
-- Errors come before the first write
redis.call('ZCARD', FOLLOW_UPS)

writeThoughFull()
inChunks('ZADD', FOLLOW_UPS, targets)
inChunks('ZREM', FOLLOW_UPS, enqueued)
return isForgotten and { 1 } or waitingFollowUps({ 0 }, after, most, mostBytes)
