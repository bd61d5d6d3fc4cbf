-- Recorded results of templates: one file for all copies, owned by no account, and one sample run per copied workflow.

create unique index media_samples on media (sha256) where workspace = 'templates';
create index executions_samples on executions (workflow_id) where trigger = 'sample';
