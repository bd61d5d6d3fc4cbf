-- Content pages, published through the content webhook.

-- One row. Its revision is raised by every write of a page, in the write's own transaction, so that it names a state of
-- the whole site: what was rendered under one revision is right for as long as that is the current one.
create table content_site (
  id boolean primary key default true check (id),
  revision bigint not null
);
insert into content_site (revision) values (0);

create table content_pages (
  id integer generated always as identity primary key,
  slug text not null constraint content_pages_slug_key unique,
  title text not null constraint content_pages_title_key unique,
  type text not null check (type in ('TOOL', 'FEATURE', 'APP', 'MODEL', 'ARTICLE')),
  parent_category text not null check (parent_category in ('features', 'models', 'articles')),
  is_published boolean not null,
  -- The short fields that lists show and rank by; null where the caller left them to their default.
  subtitle text,
  meta_description text,
  hero_image text,
  pillar text,
  subcategory text,
  seo_keywords text[] not null,
  workflow_id text,
  -- All other fields of the contract, as sent.
  content jsonb not null,
  -- Texts: sanitized markup of the body and of each markdown block, in order; and how it was made. JSON, since the
  -- driver reads an array of texts character by character.
  rendered json not null,
  rendered_format integer not null,
  author_id integer not null references users,
  revision bigint not null,
  published_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create index content_pages_list on content_pages (parent_category, published_at desc, id desc) where is_published;
