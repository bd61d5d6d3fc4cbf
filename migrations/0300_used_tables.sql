-- When the first batch over a table was accepted. The limits of tables count only those that wait for a batch.
alter table tables add column used_at timestamptz(3);
