-- Media: uploads by presigned address, files on their way in or out, which graphs name which media.

-- 'input': fetched for a run, from an address that its graph named.
alter table media drop constraint media_origin_check;
alter table media add constraint media_origin_check check (origin in ('upload', 'output', 'input'));
create index media_uploads_listed on media (workspace, id desc) where origin = 'upload';

-- Minted addresses. A row counts in its account's budget for an hour, whatever became of it; the file may come for a day.
create table media_uploads (
  id text primary key,
  user_id integer not null,
  workspace text not null,
  name text not null,
  content_type text not null,
  bytes bigint not null,
  created_at timestamptz(3) not null,
  -- The file lies where no address leads to any more, and may be looked at.
  moved_at timestamptz(3),
  -- The file was refused and thrown away.
  discarded_at timestamptz(3)
);
create index media_uploads_budget on media_uploads (user_id, created_at) include (bytes);
create index media_uploads_age on media_uploads (created_at);

-- Files that lie in media storage while no row of media names them: about to be known, or being deleted.
-- What a crash leaves here is swept a day later.
create table media_strays (
  id text primary key,
  created_at timestamptz(3) not null default now()
);

-- Which versions of which workflow name a media in their graph.
create table workflow_media (
  media_id text not null,
  workflow_id text not null,
  version integer not null,
  primary key (media_id, workflow_id, version),
  foreign key (workflow_id, version) references workflow_versions on delete cascade
);
create index workflow_media_version on workflow_media (workflow_id, version);
insert into workflow_media (media_id, workflow_id, version)
  select distinct named.ids[1], v.workflow_id, v.version
  from workflow_versions v
  cross join lateral regexp_matches(v.graph, 'med_[0-9a-hjkmnp-tv-z]{26}', 'g') as named (ids);
