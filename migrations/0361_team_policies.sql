-- Which providers and models the runs of a team may use: { providers, models: { allow, deny } }. Null: all.
alter table teams add column policy jsonb;
