-- Finds media by any part of their name or prompt without reading all of them, and without an extension.

-- The workspace, and each character of the text with the two after it: 'fox' is 'fox', 'ox' and 'x'. A text of three
-- characters or more is found by the terms of its length, a shorter one by a prefix of a term.
create function media_search_terms(workspace text, name text, prompt text) returns tsvector
language sql immutable parallel safe as $$
  select array_to_tsvector(array_append(array_agg(distinct term), workspace)) from (
    select letter || coalesce(lead(letter) over texts, '') || coalesce(lead(letter, 2) over texts, '') as term
    from unnest(string_to_array(lower(concat_ws(E'\n', name, prompt)), null)) with ordinality as letters (letter, place)
    window texts as (order by place)) terms
$$;
create index media_search on media using gin (media_search_terms(workspace, name, prompt));

-- The files of a workflow that is found by its name.
create index media_of_workflow on media (workflow_id, id desc) where workflow_id is not null;

-- Selects a superset of the files of the workspace with the text in their name or prompt.
create function media_search_query(workspace text, search text) returns tsquery
language sql immutable parallel safe as $$
  select string_agg('''' || replace(replace(term, '\', '\\'), '''', '''''') || ''''
    || case when length(term) < 3 then ':*' else '' end, ' & ')::tsquery
  from unnest(tsvector_to_array(media_search_terms(workspace, search, null))) as terms (term)
  where term = workspace or length(term) = least(3, length(lower(search)))
$$;
