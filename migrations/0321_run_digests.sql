-- What lists of runs show and search: written once, in the commit that ends a run. Earlier runs have none.

create table if not exists run_digests (
  execution_id text collate "C" primary key,
  -- The words of the inputs and results, and the ids of the workflow, the workspace and the user.
  words tsvector not null,
  -- JSON text: the beginnings of the inputs and results.
  preview text not null
);
-- New entries are merged into the index by whoever fills the list of pending ones. A short list keeps that short.
create index if not exists run_digests_words on run_digests using gin (words) with (gin_pending_list_limit = 512);
