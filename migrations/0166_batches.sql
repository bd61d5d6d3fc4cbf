-- Batches: a workflow over many rows. Each row is an ordinary execution that names the batch as its origin.

-- What started the execution: the id of a batch, and the key or number of its row. Null: a request.
alter table executions add column if not exists origin_id text, add column if not exists origin_key text;
create index executions_origin on executions (origin_id, origin_key, id) where origin_id is not null;

create table batches (
  id text primary key,
  workflow_id text not null,
  workflow_version integer not null,
  user_id integer not null,
  workspace text not null,
  status text not null default 'RUNNING' check (status in ('RUNNING', 'PAUSED', 'STOPPING', 'STOPPED', 'COMPLETED')),
  -- Why the batch stopped; null: a user stopped it, or it did not stop.
  reason text,
  total integer not null,
  concurrency integer not null,
  max_credits bigint,
  stop_after_failures integer not null,
  failures_in_a_row integer not null default 0,
  -- Whether a batch that stops cancels the rows that run.
  cancels_running boolean not null default false,
  -- The batch pauses once these rows have ended; null: it does not pause.
  first_rows integer,
  estimated_credits bigint not null,
  estimate_is_exact boolean not null,
  -- JSON text.
  metadata text,
  webhook text,
  -- Counts changes of the batch and its rows.
  seq bigint not null default 0,
  created_at timestamptz(3) not null,
  finished_at timestamptz(3)
);
create index batches_of_workflow on batches (workflow_id, id);
create index batches_of_user on batches (user_id, id);
create index batches_of_workspace on batches (workspace) where status in ('RUNNING', 'STOPPING');
create index batches_age on batches (finished_at) where finished_at is not null;

create table batch_rows (
  batch_id text not null references batches on delete cascade,
  row_number integer not null,
  key text,
  -- JSON text of the inputs by node id.
  inputs text not null,
  status text not null default 'waiting'
    check (status in ('waiting', 'running', 'completed', 'failed', 'cancelled', 'skipped')),
  estimated_credits bigint not null,
  -- The credits that the execution may cost; null: the batch has no limit.
  max_credits bigint,
  attempt integer not null default 1,
  execution_id text,
  -- When the execution was chosen; it is accepted a moment later.
  claimed_at timestamptz(3),
  -- Set for a retry: the execution whose completed nodes are reused.
  retried_execution_id text,
  error text,
  rating smallint check (rating between 1 and 5),
  is_picked boolean not null default false,
  -- The number of the batch's change that last changed the row.
  seq bigint not null default 0,
  primary key (batch_id, row_number)
);
create index batch_rows_by_status on batch_rows (batch_id, status, row_number);
create index batch_rows_changed on batch_rows (batch_id, seq, row_number);
create unique index batch_rows_execution on batch_rows (execution_id) where execution_id is not null;

-- A table that was uploaded for a batch, kept for a day.
create table tables (
  id text primary key,
  user_id integer not null,
  format text not null check (format in ('csv', 'jsonl')),
  delimiter text check (delimiter in ('comma', 'semicolon', 'tab')),
  encoding text not null,
  -- JSON texts.
  columns text not null,
  sample text not null,
  problems text not null,
  total integer not null,
  created_at timestamptz(3) not null default now()
);
create index tables_age on tables (created_at);

-- The rows of a table, some hundred in each JSON text.
create table table_chunks (
  table_id text not null references tables on delete cascade,
  chunk integer not null,
  rows text not null,
  primary key (table_id, chunk)
);

-- The webhook of a batch has no execution.
alter table deliveries alter column execution_id drop not null, add column batch_id text;
alter table deliveries drop constraint deliveries_event_check;
alter table deliveries add constraint deliveries_event_check
  check (event in ('execution.completed', 'execution.failed', 'batch.completed', 'batch.stopped')) not valid;
