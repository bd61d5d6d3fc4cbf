-- Videos: clips rendered for a preview, and the finished parts of renders under way.

-- A clip that somebody asked to preview. The scene graph is kept as it was when it was asked for, with its props filled in.
create table renders (
  id text primary key,
  user_id integer not null,
  workspace text not null,
  graph text not null,
  first_frame integer not null,
  -- Not part of it.
  end_frame integer not null,
  scale double precision not null,
  status text not null check (status in ('QUEUED', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED')),
  -- How often it was begun; a worker that finds it raised stops.
  attempt integer not null default 0,
  progress double precision not null default 0,
  -- The clip and its poster, and what is to be told of it.
  media_id text,
  poster_id text,
  result text,
  error text,
  created_at timestamptz(3) not null default now(),
  started_at timestamptz(3),
  finished_at timestamptz(3)
);
create index renders_open on renders (user_id) where finished_at is null;
create index renders_age on renders (created_at);

-- Parts of a video that outlive the worker which made them; the files lie in media storage as strays.
create table render_parts (
  scope text not null,
  name text not null,
  file_id text not null,
  created_at timestamptz(3) not null default now(),
  primary key (scope, name)
);
create index render_parts_age on render_parts (created_at);
