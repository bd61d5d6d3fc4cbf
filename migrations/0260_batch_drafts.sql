-- Set while the rows of a new batch are stored: until when its process has reserved it. Null: the batch has all its rows.
alter table batches add column draft_until timestamptz(3);
