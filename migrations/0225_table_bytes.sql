-- The size of the stored rows of a table, so that the tables of a user are bounded by size too.
alter table tables add column bytes bigint not null default 0;
