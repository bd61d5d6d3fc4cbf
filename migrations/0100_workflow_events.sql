-- Who follows a workflow as it changes, and who changed it last.

-- Null: written before this was kept.
alter table workflows add column written_by integer;
-- The session that wrote; null: it was no session.
alter table workflows add column written_by_session text;

-- Open streams of all processes. Losing these at a crash costs nothing: the streams are gone too.
create unlogged table workflow_followers (
  id text primary key,
  workflow_id text not null,
  user_id integer not null,
  -- Renewed every 15 seconds.
  seen_at timestamptz(3) not null default now()
);
create index workflow_followers_workflow on workflow_followers (workflow_id);
