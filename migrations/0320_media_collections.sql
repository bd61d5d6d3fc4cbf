-- The media library: names, favorites, collections, the node that made a file, and a search for several words.

-- `title` is the name that a user gave the file; its URL keeps the first name.
alter table media add column title text, add column node_type text;
create index media_by_node_type on media (workspace, node_type, id desc) where node_type is not null;
create index media_by_user on media (workspace, user_id, id desc);

-- A collection refers to files of its workspace. Nothing is copied.
create table media_collections (
  id text primary key,
  workspace text not null,
  user_id integer not null,
  name text not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create index media_collections_listed on media_collections (workspace, id);
create table media_collection_items (
  collection_id text not null references media_collections on delete cascade,
  media_id text not null references media on delete cascade,
  primary key (collection_id, media_id)
);
create index media_collection_items_media on media_collection_items (media_id);

create table media_favorites (
  user_id integer not null references users on delete cascade,
  media_id text not null references media on delete cascade,
  primary key (user_id, media_id)
);
create index media_favorites_media on media_favorites (media_id);

-- The functions of this index remain, because processes of the last release call them during an upgrade.
drop index media_search;

-- Each character of the text with the two after it: 'fox' is 'fox', 'ox' and 'x'. A word of three characters or more is
-- found by the terms of its length, a shorter one by a prefix of a term, in any script.
create function media_word_parts(content text) returns text[]
language sql immutable parallel safe as $$
  select array_agg(distinct part) from (
    select letter || coalesce(lead(letter) over texts, '') || coalesce(lead(letter, 2) over texts, '') as part
    from unnest(string_to_array(lower(content), null)) with ordinality as letters (letter, place)
    window texts as (order by place)) parts
$$;

-- The parts of the texts, and the names of what the file belongs to, which are longer than parts. PostgreSQL computes
-- indexes without a search path, so this function cannot call the one above.
create function media_word_terms(workspace text, title text, name text, prompt text, node_type text, workflow_id text)
returns tsvector language sql immutable parallel safe as $$
  select array_to_tsvector(array_agg(distinct part) || array_remove(array[workspace, node_type, workflow_id], null)) from (
    select letter || coalesce(lead(letter) over texts, '') || coalesce(lead(letter, 2) over texts, '') as part
    from unnest(string_to_array(lower(concat_ws(E'\n', title, name, prompt)), null)) with ordinality as letters (letter, place)
    window texts as (order by place)) parts
$$;
create index media_words on media using gin (
  media_word_terms(workspace, title, name, prompt, node_type, workflow_id));

create function media_word_lexeme(term text) returns text
language sql immutable parallel safe as $$
  select '''' || replace(replace(term, '\', '\\'), '''', '''''') || ''''
$$;

-- Selects a superset of the files of the workspace that match each word: by their texts, or by one of the names.
-- `words` is an array of {"text": …, "names": [node types and workflow ids]}.
create function media_word_query(workspace text, words jsonb) returns tsquery
language sql immutable parallel safe as $$
  select (media_word_lexeme(workspace) || coalesce(string_agg(' & (' || word.query || ')', ''), ''))::tsquery
  from (
    select (
      select string_agg(media_word_lexeme(part) || case when length(part) < 3 then ':*' else '' end, ' & ')
      from unnest(media_word_parts(w->>'text')) as part
      where length(part) = least(3, length(lower(w->>'text')))
    ) || coalesce((
      select string_agg(' | ' || media_word_lexeme(name), '') from jsonb_array_elements_text(w->'names') as name
    ), '') as query
    from jsonb_array_elements(words) as w) as word
$$;
