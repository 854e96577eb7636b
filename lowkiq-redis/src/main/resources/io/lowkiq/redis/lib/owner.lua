-- What only owners do.

-- When its memory is full, Redis refuses the first write of a script if it may need memory, but not those that follow.
-- What an owner does goes on then: it is what makes room.
local function writeThoughFull()
	redis.call('PERSIST', META)
end
