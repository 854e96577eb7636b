-- Reads Redis' clock. For people only.
--
-- KEYS  1 any key: its master is asked
-- Returns the time in milliseconds.

assert(#KEYS == 1, 'one key expected')

local time = redis.call('TIME')
return { time[1] * 1000 + math.floor(time[2] / 1000) }
