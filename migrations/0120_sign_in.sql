-- When a session last proved who uses it; null: at its start.
alter table sessions add column proved_at timestamptz(3);

-- Networks with a good sign-in of an account: failures elsewhere do not lock these out.
create table sign_in_networks (
  user_id integer not null references users on delete cascade,
  -- An IPv4 address, or the /64 of an IPv6 address.
  network text not null,
  seen_at timestamptz(3) not null,
  primary key (user_id, network)
);
create index sign_in_networks_seen on sign_in_networks (seen_at);
insert into sign_in_networks (user_id, network, seen_at)
  select user_id, address, max(created_at) from sessions where strpos(address, ':') = 0 group by user_id, address;
