-- What the pages show and undo.

-- Of a deleted workflow: whether it was active, for the undo.
alter table workflows add column was_active boolean;

-- The newest video of a workflow's runs.
create index media_previews on media (workflow_id, id desc)
  where workflow_id is not null and origin = 'output' and content_type like 'video/%';
