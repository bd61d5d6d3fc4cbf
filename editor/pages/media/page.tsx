// Renders the user's media library: filters, upload by drop, paste or file dialog.

import Images from 'icon:images';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import type { MediaItem } from '../../../sdk/src/schemas.ts';
import { DropNotice } from '../../kit/drop-notice.tsx';
import { EmptyState } from '../../kit/empty-state.tsx';
import { SelectField } from '../../kit/field.tsx';
import { InfiniteList, useList } from '../../kit/infinite-list.tsx';
import { PageHead } from '../../kit/page-head.tsx';
import { DetailsDialog } from './details-dialog.tsx';
import { MediaCard } from './media-card.tsx';
import { messages } from './messages.ts';
import styles from './page.module.css';
import { UploadButton, UploadList } from './upload-list.tsx';
import { useUploads } from './use-uploads.ts';

export function Page() {
  const [search, setSearch] = useSearchParams();
  const type = search.get('type') ?? '';
  const origin = search.get('origin') ?? 'upload';
  const list = useList<MediaItem>('/media', { limit: 60, origin, ...(type === '' ? {} : { type }) });
  const uploads = useUploads();
  const [openItem, setOpenItem] = useState<MediaItem>();
  const choose = (key: string, value: string): void =>
    setSearch(
      before => {
        const params = new URLSearchParams(before);
        if (value === '') params.delete(key);
        else params.set(key, value);
        return params;
      },
      { replace: true },
    );
  const button = <UploadButton onFiles={uploads.add} />;
  return (
    <>
      <PageHead title={messages.title}>
        <Filter
          label={messages.kind}
          value={type}
          options={messages.kinds}
          onChange={kind => choose('type', kind)}
        />
        <Filter
          label={messages.origin}
          value={origin}
          options={messages.origins}
          onChange={from => choose('origin', from)}
        />
        {button}
      </PageHead>
      <UploadList uploads={uploads.uploads} />
      {uploads.isDragging && <DropNotice>{messages.dropHere}</DropNotice>}
      <InfiniteList
        query={list}
        empty={
          <EmptyState icon={Images} title={messages.emptyTitle}>
            {messages.empty}
          </EmptyState>
        }
      >
        {items => (
          <ul className={styles.grid}>
            {items.map(item => (
              <MediaCard key={item.mediaId} item={item} onOpen={() => setOpenItem(item)} />
            ))}
          </ul>
        )}
      </InfiniteList>
      {openItem && <DetailsDialog item={openItem} onClose={() => setOpenItem(undefined)} />}
    </>
  );
}

function Filter({
  label,
  value,
  options,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  readonly options: Readonly<Record<string, string>>;
  readonly onChange: (value: string) => void;
}) {
  return (
    <div className={styles.filter}>
      <SelectField label={label} value={value} onChange={event => onChange(event.target.value)}>
        {Object.entries(options).map(([key, text]) => (
          <option key={key} value={key}>
            {text}
          </option>
        ))}
      </SelectField>
    </div>
  );
}
