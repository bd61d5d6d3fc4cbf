// Renders a dialog to find a model in a provider's list.

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../../kit/button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { Failure } from '../../../kit/failure.tsx';
import { SelectField } from '../../../kit/field.tsx';
import { SearchField } from '../../../kit/search-field.tsx';
import { Loading } from '../../../kit/spinner.tsx';
import { type Column, Table } from '../../../kit/table.tsx';
import { api } from '../../../lib/api.ts';
import { messages as sharedMessages } from '../../../messages.ts';
import { SecondaryText, Truncated } from '../section.tsx';
import { messages } from './messages.ts';
import type { ModelProvider, PlanRequest } from './model.ts';

interface ModelOffer {
  readonly endpoint: string;
  readonly label: string;
  readonly category: string | null;
  readonly nodeType: string | null;
}

interface FindDialogProps {
  /** The configured providers. */
  readonly providers: readonly ModelProvider[];
  readonly onChoose: (request: PlanRequest) => void;
  readonly onClose: () => void;
}

export function FindDialog({ providers, onChoose, onClose }: FindDialogProps) {
  const [provider, setProvider] = useState<ModelProvider>(providers[0] ?? 'fal');
  const [query, setQuery] = useState('');
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: ['/admin/models/offers', provider, query],
    queryFn: ({ signal }) =>
      api.get<{ readonly offers: readonly ModelOffer[]; readonly isCut: boolean }>(
        `/admin/models/offers?${new URLSearchParams({ provider, query })}`,
        { signal },
      ),
    retry: false,
  });
  return (
    <Dialog title={messages.addTitle} onClose={onClose}>
      <SelectField
        label={messages.provider}
        value={provider}
        onChange={event => setProvider(event.target.value as ModelProvider)}
        options={providers.map(name => [name, sharedMessages.provider(name)] as const)}
      />
      <SearchField
        label={messages.search}
        placeholder={messages.searchHint}
        value={query}
        onChange={setQuery}
      />
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {isFetching && <Loading />}
      {data && !isFetching && (
        <>
          <Table
            label={messages.offers}
            columns={createColumns(endpoint => onChoose({ provider, endpoints: [endpoint] }))}
            rows={data.offers}
            getKey={({ endpoint }) => endpoint}
          />
          <SecondaryText>{data.isCut ? messages.more : messages.found(data.offers.length)}</SecondaryText>
        </>
      )}
    </Dialog>
  );
}

const createColumns = (onAdd: (endpoint: string) => void): readonly Column<ModelOffer>[] => [
  { title: messages.model, cell: ({ label }) => <Truncated text={label} /> },
  { title: messages.endpoint, cell: ({ endpoint }) => <Truncated text={endpoint} /> },
  {
    title: messages.actions,
    align: 'end',
    cell: ({ endpoint, label, nodeType }) =>
      nodeType === null ? (
        <Button size="s" aria-label={messages.addLabel(label)} onClick={() => onAdd(endpoint)}>
          {messages.addOne}
        </Button>
      ) : (
        <SecondaryText>{messages.alreadyAdded}</SecondaryText>
      ),
  },
];
