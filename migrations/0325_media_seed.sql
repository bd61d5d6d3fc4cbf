-- The seed from which a model made the file, its own if the run set none.
alter table media add column seed bigint;
