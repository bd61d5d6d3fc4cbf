-- The submissions that the provider has accepted since the limit last changed. The limit grows by one per round: after as
-- many accepted submissions as it allows concurrent calls.
alter table provider_limits add column accepted integer not null default 0;
