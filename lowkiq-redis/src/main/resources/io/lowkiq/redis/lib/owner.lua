-- Functions for the scripts that a full memory must not stop: the scripts of owners, and scripts that owners wait for.

-- When its memory is full, Redis refuses the first write of a script if it may need memory, but not those that follow.
-- So an owner goes on, and makes room.
local function writeThoughFull()
	redis.call('PERSIST', META)
end
