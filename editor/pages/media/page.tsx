// Renders the media library by day, with search, filters and uploads.

import Images from 'icon:images';
import { useState } from 'react';
import type { MediaItem } from '../../../sdk/src/schemas.ts';
import { Button } from '../../kit/button.tsx';
import { DropOverlay } from '../../kit/drop-overlay.tsx';
import { EmptyState } from '../../kit/empty-state.tsx';
import { FilterBar, FilterSelect } from '../../kit/filter-bar.tsx';
import { InfiniteList, useList } from '../../kit/infinite-list.tsx';
import { PageHead } from '../../kit/page-head.tsx';
import { SearchField } from '../../kit/search-field.tsx';
import { formatDay } from '../../lib/format.ts';
import { pickFilters, useSearchFilters } from '../../lib/use-search-filters.ts';
import { Suggestions } from '../templates/suggestions.tsx';
import { DetailsDialog } from './details-dialog.tsx';
import { MediaCard } from './media-card.tsx';
import { messages } from './messages.ts';
import styles from './page.module.css';
import { UploadButton, UploadList } from './upload-list.tsx';
import { useUploads } from './use-uploads.ts';

const FILTERS = ['q', 'type', 'origin'] as const;

export function Page() {
  const { search, change, replaceAll } = useSearchFilters();
  const filters = pickFilters(search, FILTERS);
  const list = useList<MediaItem>('/media', { limit: 60, origin: 'all', ...filters });
  const uploads = useUploads();
  const [openItem, setOpenItem] = useState<MediaItem>();
  const setFilter = (key: (typeof FILTERS)[number], value: string): void => change({ [key]: value });
  return (
    <>
      <PageHead title={messages.title}>
        <UploadButton onFiles={uploads.add} />
      </PageHead>
      <FilterBar>
        <SearchField
          label={messages.search}
          placeholder={messages.searchHint}
          value={filters.q ?? ''}
          onChange={text => setFilter('q', text)}
        />
        <FilterSelect
          label={messages.kind}
          value={filters.type ?? ''}
          options={messages.kinds}
          onChange={event => setFilter('type', event.target.value)}
        />
        <FilterSelect
          label={messages.origin}
          value={filters.origin ?? ''}
          options={messages.origins}
          onChange={event => setFilter('origin', event.target.value)}
        />
      </FilterBar>
      <UploadList uploads={uploads.uploads} />
      {uploads.isDragging && <DropOverlay>{messages.dropHere}</DropOverlay>}
      <InfiniteList
        query={list}
        empty={
          Object.keys(filters).length === 0 ? (
            <NoMedia onFiles={uploads.add} />
          ) : (
            <NoMatch onShowAll={() => replaceAll({})} />
          )
        }
      >
        {items =>
          [...Map.groupBy(items, ({ createdAt }) => new Date(createdAt).toDateString())].map(
            ([day, files]) => (
              <section key={day} className={styles.day}>
                <h2>{formatDayHeading(day)}</h2>
                <ul className={styles.grid}>
                  {files.map(item => (
                    <MediaCard key={item.mediaId} item={item} onOpen={() => setOpenItem(item)} />
                  ))}
                </ul>
              </section>
            ),
          )
        }
      </InfiniteList>
      {openItem && <DetailsDialog item={openItem} onClose={() => setOpenItem(undefined)} />}
    </>
  );
}

/** Returns a heading for a day in the user's time zone. */
function formatDayHeading(day: string): string {
  const yesterday = new Date();
  yesterday.setDate(yesterday.getDate() - 1);
  if (day === new Date().toDateString()) return messages.today;
  return day === yesterday.toDateString() ? messages.yesterday : formatDay(Date.parse(day));
}

function NoMedia({ onFiles }: { readonly onFiles: (files: Iterable<File>) => void }) {
  return (
    <>
      <EmptyState icon={Images} title={messages.emptyTitle} action={<UploadButton onFiles={onFiles} />}>
        {messages.empty}
      </EmptyState>
      <Suggestions />
    </>
  );
}

function NoMatch({ onShowAll }: { readonly onShowAll: () => void }) {
  return (
    <EmptyState
      icon={Images}
      title={messages.noMatchTitle}
      action={<Button onClick={onShowAll}>{messages.all}</Button>}
    >
      {messages.noMatch}
    </EmptyState>
  );
}
