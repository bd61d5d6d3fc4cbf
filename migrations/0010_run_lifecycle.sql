-- A run that waits for a provider is under way, though no worker has it in hand, and its clock goes on.

-- Counts for the number of runs that a workspace may have under way: held by a worker, or waiting for calls.
alter table executions add column under_way boolean not null default false;
-- Set while no worker holds the run and its running time goes on.
alter table executions add column running_since timestamptz(3);
-- False: it has no row in run_credits.
alter table executions add column is_paid boolean not null default true;

update executions set under_way = true where worker_id is not null;
drop index executions_running;
create index executions_under_way on executions (workspace, worker_id) where under_way;
