-- What was spent on: the type of the node that was charged.

-- Null: charged before this was kept.
alter table credit_entries add column node_type text;
create index credit_entries_charges on credit_entries (workspace, created_at) where kind = 'charge';
