-- The order of bytes, which is that of a sorted set among equal scores.

-- Whether one string's bytes come before another's; Lua's own < goes by the locale.
local function before(one, other)
	for i = 1, math.min(#one, #other) do
		local a, b = string.byte(one, i), string.byte(other, i)
		if a ~= b then
			return a < b
		end
	end
	return #one < #other
end
