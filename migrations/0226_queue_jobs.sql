-- graphile-worker's add_jobs drops a job with a key if a worker locks the waiting job with this key between its two
-- statements: the insert then finds a row that it may not replace. The job that was locked may have read its data
-- before this transaction commits, so nothing would act on what this transaction writes. add_jobs returns no row for a
-- dropped job, so this function adds those again. The parameter is polymorphic because the queue's types are created
-- after our migrations.
create or replace function queue_jobs(specs anyarray) returns void language plpgsql as $$
declare
  missing specs%type := specs;
  added text[];
begin
  for attempt in 1..10 loop
    added := array(select coalesce(key, '') from graphile_worker.add_jobs(missing));
    missing := array(select spec from unnest(missing) as spec where spec.job_key <> all (added));
    if cardinality(missing) = 0 then return; end if;
  end loop;
  raise exception 'Jobs could not be queued because others with the same key kept starting.';
end $$;
