-- Forgets the last follow-up that came from another shard.
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 the shard in which the follow-up waited
--       3 the epoch under which it was written
--       4 its number
--       5 '1' to forget an earlier one, too
-- Returns 1 if it was forgotten; 0 if there is another one.
-- Keeps: what another mover has enqueued meanwhile is remembered. After a follow-up was forgotten, a call that was made
-- before is refused: it names another number of forgotten ones.

--@include shard
--@include commands
--@include origins

assert(#ARGV == 5, 'five arguments expected')
local source, last = ARGV[2], remembered(FOLLOW_UPS, ARGV[2])
local epoch, number = assert(tonumber(ARGV[3])), assert(tonumber(ARGV[4]))
local count = forgotten(FOLLOW_UPS) + 1
local isEarlier = last.epoch < epoch or last.epoch == epoch and last.number <= number
local isSame = last.epoch == epoch and last.number == number
if last.epoch == 0 or not (isSame or isEarlier and ARGV[5] == '1') then
	return { 0 }
end
redis.call('ZREM', FOLLOW_UPS, 'epoch:' .. source, 'number:' .. source)
redis.call('ZADD', FOLLOW_UPS, exact(-count), 'forgotten')
return { 1 }
