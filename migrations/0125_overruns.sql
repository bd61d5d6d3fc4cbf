-- What a provider billed beyond what the pool could pay, and what is reserved for calls whose cancellation is under way.

-- overrun: moves nothing; what the operator pays in the pool's place.
alter table credit_entries drop constraint credit_entries_kind_check;
alter table credit_entries add constraint credit_entries_kind_check
  check (kind in ('grant', 'hold', 'charge', 'release', 'overrun')) not valid;

-- What is reserved for the call: once its run has ended, the reservation stays until the provider says whether it bills.
alter table calls add column credits bigint not null default 0;
-- By what a bill is counted: the node type and the settings that its price depends on. Null: at what is reserved.
alter table calls add column terms jsonb;
