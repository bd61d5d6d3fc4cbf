// Renders the shipped and published templates, with a search and a filter by category.

import LayoutTemplate from 'icon:layout-template';
import type { Template } from '../../../sdk/src/schemas.ts';
import { Button } from '../../kit/button.tsx';
import { EmptyState } from '../../kit/empty-state.tsx';
import { FilterBar, FilterSelect } from '../../kit/filter-bar.tsx';
import { InfiniteList, useList } from '../../kit/infinite-list.tsx';
import { PageHead } from '../../kit/page-head.tsx';
import { SearchField } from '../../kit/search-field.tsx';
import { pickFilters, useSearchFilters } from '../../lib/use-search-filters.ts';
import { messages } from './messages.ts';
import { TemplateSections } from './template-sections.tsx';

export function Page() {
  const { search, change } = useSearchFilters();
  const filters = pickFilters(search, ['query', 'category']);
  const { query = '', category = '' } = filters;
  const list = useList('/templates', { limit: 48, ...filters });
  const categories = listCategories(category, list.data ?? []);
  return (
    <>
      <PageHead title={messages.title} />
      <FilterBar>
        <SearchField
          label={messages.search}
          placeholder={messages.searchHint}
          value={query}
          onChange={text => change({ query: text })}
        />
        {categories.length > 0 && (
          <FilterSelect
            label={messages.category}
            value={category}
            options={{
              '': messages.all,
              ...Object.fromEntries(
                categories.map(name => [
                  name,
                  messages.sections[name as keyof typeof messages.sections] ?? name,
                ]),
              ),
            }}
            onChange={event => change({ category: event.target.value })}
          />
        )}
      </FilterBar>
      <InfiniteList
        query={list}
        empty={
          category === '' && query === '' ? (
            <EmptyState icon={LayoutTemplate} title={messages.emptyTitle}>
              {messages.empty}
            </EmptyState>
          ) : (
            <EmptyState
              icon={LayoutTemplate}
              title={messages.noMatchTitle}
              action={<Button onClick={() => change({ query: '', category: '' })}>{messages.showAll}</Button>}
            >
              {messages.noMatch}
            </EmptyState>
          )
        }
      >
        {templates => <TemplateSections templates={templates} />}
      </InfiniteList>
    </>
  );
}

/** Returns the selected category and the categories of the templates, sorted. */
function listCategories(selected: string, templates: readonly Template[]): readonly string[] {
  const listed = templates.flatMap(({ category }) => (category === null ? [] : [category]));
  return [...new Set([...(selected === '' ? [] : [selected]), ...listed])].sort();
}
