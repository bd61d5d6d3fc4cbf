-- The addresses of apps: the current one, and earlier ones that redirect to it.

create table app_slugs (
  slug text primary key,
  app_id text not null references apps on delete cascade,
  used_at timestamptz(3) not null default now()
);
create index app_slugs_of_app on app_slugs (app_id, used_at desc);
insert into app_slugs (slug, app_id) select slug, id from apps;
-- The primary key above keeps slugs apart.
alter table apps drop constraint apps_slug_key;
