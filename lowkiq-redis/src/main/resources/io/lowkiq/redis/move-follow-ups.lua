-- Removes follow-ups that have been enqueued, and returns the next ones (I6).
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 the owner's session
--       3 the owner's epoch
--       4 the numbers of the enqueued follow-ups, d each
--       5 the number after which the returned follow-ups begin
--       6 the maximum number of follow-ups to return
--       7 the maximum number of bytes to return, unless the first follow-up is larger
--       8 the shards of the enqueued follow-ups, packed as in lib/origins.lua
-- Returns the next follow-ups as lib/waiting.lua does; nothing if the lease is not current.
-- Keeps: only enqueued follow-ups are removed. No number is given twice under one epoch, so a late call removes no others.

--@include shard
--@include owner
--@include origins
--@include waiting

assert(#ARGV == 8, 'eight arguments expected')
local epoch, after = assert(tonumber(ARGV[3])), assert(tonumber(ARGV[5]))
local most, mostBytes = assert(tonumber(ARGV[6])), assert(tonumber(ARGV[7]))

if meta.session ~= ARGV[2] or meta.epoch ~= epoch then
	return {}
end
local reply = waitingFollowUps(after, most, mostBytes)
local enqueued = {}
for position = 1, #ARGV[4], 8 do
	local number = exact(struct.unpack('>d', ARGV[4], position))
	enqueued[#enqueued + 1] = redis.call('ZRANGEBYSCORE', FOLLOW_UPS, number, number)[1]
end

writeThoughFull()
local sent = {}
for _, member in ipairs(sentTo(ARGV[8])) do
	sent[#sent + 1], sent[#sent + 2] = SENT, member
end
inChunks('ZADD', FOLLOW_UPS, sent)
inChunks('ZREM', FOLLOW_UPS, enqueued)
return reply
