-- The card of the template that a workflow was copied from: its poster until a run of it makes an image.

alter table workflows add column sample_poster text;
create index workflows_sample_posters on workflows (sample_poster) where sample_poster is not null;
