-- Deleted accounts keep their row, because runs, transactions and versions refer to it, but nothing that names the person.

alter table users add column deleted_at timestamptz(3);
