-- Models that the operator has added to those of the program, as data. None is ever deleted: graphs may have it.
create table models (
  node_type text primary key,
  model jsonb not null,
  updated_at timestamptz(3) not null default now()
);

-- One row: raised by each change of the table above, so that processes see that there was one, and of two changes made
-- from the same state the second is refused.
create table models_revision (
  id boolean primary key default true check (id),
  revision bigint not null default 0
);
insert into models_revision default values;
