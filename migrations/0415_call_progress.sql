-- The progress of calls, as long as they run. One process follows each call, and all processes read its progress.
create unlogged table call_progress (
  execution_id text not null,
  node_id text not null,
  item integer not null,
  -- The process that follows the call.
  follower text not null,
  fraction double precision not null default 0,
  -- What executes, for users.
  detail text,
  preview bytea,
  preview_type text,
  -- Increases with each change.
  version integer not null default 0,
  updated_at timestamptz(3) not null,
  primary key (execution_id, node_id, item),
  foreign key (execution_id, node_id, item) references calls on delete cascade
);
-- Previews are compressed.
alter table call_progress alter column preview set storage external;
