-- The replica: one row an order, written by the order worker only.
create table if not exists orders (
	id varchar(200) primary key,
	version bigint not null,
	status varchar(40) not null,
	amount numeric(14, 2) not null,
	fencing_token bigint not null,
	updated_at timestamp with time zone not null
);

-- What was seen of each order: the proof that nothing overlaps and no row goes back.
create table if not exists order_facts (
	id varchar(200) primary key,
	received bigint default 0 not null,
	performed bigint default 0 not null,
	merged bigint default 0 not null,
	stale bigint default 0 not null,
	failed bigint default 0 not null,
	buried bigint default 0 not null,
	fenced bigint default 0 not null,
	overlapped bigint default 0 not null,
	disordered bigint default 0 not null,
	regressions bigint default 0 not null,
	-- who performs the order now, and under which fencing token
	claimed_by varchar(36),
	claim_token bigint
);

-- The index of the orders by status, written in batches.
create table if not exists order_index (
	id varchar(200) primary key,
	version bigint not null,
	status varchar(40) not null
);
