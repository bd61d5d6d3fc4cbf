-- Counts and credits of a batch are stored with it, so that reading a batch does not read its rows. Rows may also set
-- config of nodes.

alter table batches
  add column rows_waiting integer not null default 0,
  add column rows_running integer not null default 0,
  add column rows_completed integer not null default 0,
  add column rows_failed integer not null default 0,
  add column rows_cancelled integer not null default 0,
  add column rows_skipped integer not null default 0,
  -- Credits charged to the executions of settled rows, without those in open_executions.
  add column credits_charged bigint not null default 0,
  -- Executions of settled rows that a provider may still charge for.
  add column open_executions text[] not null default '{}',
  -- JSON text: what a matrix of combinations varies, as [{nodeId, field, count}]. Null: not such a matrix.
  add column axes text;

-- JSON text: by node id, the config fields that the row sets. Null: none.
alter table batch_rows add column config text;

update batches b set rows_waiting = c.waiting, rows_running = c.running, rows_completed = c.completed,
  rows_failed = c.failed, rows_cancelled = c.cancelled, rows_skipped = c.skipped
from (
  select batch_id,
    count(*) filter (where status = 'waiting') as waiting,
    count(*) filter (where status = 'running') as running,
    count(*) filter (where status = 'completed') as completed,
    count(*) filter (where status = 'failed') as failed,
    count(*) filter (where status = 'cancelled') as cancelled,
    count(*) filter (where status = 'skipped') as skipped
  from batch_rows group by batch_id
) c where c.batch_id = b.id;

-- Executions of running rows are counted when their rows are settled.
update batches b set credits_charged = c.charged, open_executions = c.open
from (
  select e.origin_id, coalesce(sum(r.charged) filter (where not o.is_open), 0)::bigint as charged,
    coalesce(array_agg(e.id) filter (where o.is_open), '{}') as open
  from executions e join run_credits r on r.execution_id = e.id
  cross join lateral (
    select r.held > 0 or exists (
      select from calls k where k.execution_id = e.id and k.job_id is not null and k.slot_at is not null) as is_open
  ) o
  where e.origin_id like 'bat\_%' and not exists (
    select from batch_rows w where w.execution_id = e.id and w.status = 'running')
  group by e.origin_id
) c where c.origin_id = b.id;

-- The rows of a table are stored while its file is read, before its columns and total are known.
alter table table_chunks alter constraint table_chunks_table_id_fkey deferrable initially deferred;
