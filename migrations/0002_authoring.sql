-- Workflow authoring: posters without a write per run, templates, counts of runs.

-- The pinned poster is the one that is stored; without one it is the newest image of the workflow's runs.
alter table workflows drop column poster_pinned;

-- Whose run produced the file; set where execution_id is.
alter table media add column workflow_id text;
update media m set workflow_id = e.workflow_id from executions e where e.id = m.execution_id;
create index media_posters on media (workflow_id, id desc)
  where workflow_id is not null and origin = 'output' and content_type like 'image/%';

create index workflows_media on workflows (media_id) where media_id is not null;
create index workflows_templates on workflows (id desc)
  where publish_settings @> '{"isTemplate": true}' and deleted_at is null;

-- Runs of a workflow up to and including one: what is newer is counted when asked for.
create table execution_counts (
  workflow_id text primary key,
  through_id text not null,
  count bigint not null
);
