-- Components that were imported from files, so that importing the same component again uses the same workflow.

create table imported_components (
  workspace text not null,
  -- SHA-256 of the name and the content, with the hashes of the components and media that it refers to.
  hash bytea not null,
  -- Its version 1 has the content.
  workflow_id text not null references workflows on delete cascade,
  primary key (workspace, hash)
);
create index imported_components_of_workflow on imported_components (workflow_id);
