create table if not exists orders (id varchar(100) primary key, status varchar(100) not null);
