-- Long values that rows of a batch take, each stored once.
create table batch_values (
  batch_id text not null references batches on delete cascade,
  number integer not null,
  -- JSON text.
  value text not null,
  primary key (batch_id, number)
);

alter table batch_rows
  -- JSON text: the values that the row takes from batch_values, as [[nodeId, config field or null for an input, number]].
  -- Null: none.
  add column shared text,
  -- The size of the inputs and the config with these values. Null: the row has no such values.
  add column bytes integer;
