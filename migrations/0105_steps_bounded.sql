-- Node states become partitioned by time. First: all that are there, and those of the next two days, lie below a bound.
-- Rows that are there are checked by the next migration, without a lock on writers.

do $$
declare
  -- A midnight, as partitions begin at one.
  ms bigint := extract(epoch from date_trunc('day', now(), 'UTC') + interval '2 days') * 1000;
  -- The first id of that time.
  bound text := 'ex_' || (
    select string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz', (ms >> (5 * place) & 31)::int + 1, 1), '' order by place desc)
    from generate_series(0, 9) place);
begin
  execute format('alter table execution_steps add constraint execution_steps_before check (execution_id < %L) not valid', bound);
end $$;
