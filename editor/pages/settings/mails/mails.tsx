// Renders whether the service can send mail, a button for a test mail, and the mails of the last 30 days with their outcome.
import MailIcon from 'icon:mail';
import Send from 'icon:send';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { Mail } from '../../../../sdk/src/schemas.ts';
import { Badge, type Tone } from '../../../kit/badge.tsx';
import { Button } from '../../../kit/button.tsx';
import { EmptyState } from '../../../kit/empty-state.tsx';
import { Failure } from '../../../kit/failure.tsx';
import { FilterBar, FilterSelect } from '../../../kit/filter-bar.tsx';
import { useList } from '../../../kit/infinite-list.tsx';
import { PageHead } from '../../../kit/page-head.tsx';
import type { Column } from '../../../kit/table.tsx';
import { TableList } from '../../../kit/table-list.tsx';
import { RelativeTime } from '../../../kit/time.tsx';
import { api } from '../../../lib/api.ts';
import { formatExact } from '../../../lib/format.ts';
import { apiQuery } from '../../../lib/queries.ts';
import { pickFilters, useSearchFilters } from '../../../lib/use-search-filters.ts';
import { messages as settingsMessages } from '../messages.ts';
import { Introduction, SecondaryText, Truncated, Wrapped } from '../section.tsx';
import { messages } from './messages.ts';

export function Mails() {
  const { search, change } = useSearchFilters();
  const filters = pickFilters(search, ['state']);
  const list = useList('/admin/mails', { limit: 50, ...filters });
  return (
    <>
      <SetUp />
      <Introduction>{messages.description}</Introduction>
      <FilterBar>
        <FilterSelect
          label={messages.state}
          options={{ '': messages.all, ...messages.states }}
          value={filters.state ?? ''}
          onChange={event => change({ state: event.target.value })}
        />
      </FilterBar>
      {filters.state === 'unconfirmed' && <Introduction>{messages.unconfirmedHint}</Introduction>}
      <TableList
        query={list}
        empty={<NoMails isFiltered={filters.state !== undefined} />}
        label={settingsMessages.parts.mails}
        columns={COLUMNS}
        getKey={({ id }) => id}
      />
    </>
  );
}

/** Renders the head of the page with the state of the mail server. */
function SetUp() {
  const { data: methods } = useQuery(apiQuery(['/auth/methods']));
  const test = useMutation({ mutationFn: () => api.post('/admin/mails/test') });
  const hasMail = methods?.mail;
  return (
    <>
      <PageHead title={settingsMessages.parts.mails}>
        {hasMail === true && (
          <Button icon={Send} isBusy={test.isPending} onClick={() => test.mutate()}>
            {messages.test}
          </Button>
        )}
      </PageHead>
      {hasMail !== undefined && <Introduction>{hasMail ? messages.isSetUp : messages.notSetUp}</Introduction>}
      {test.error && <Failure error={test.error} />}
      <div role="status">
        {test.data && (
          <p>
            {test.data.isSent
              ? messages.testSent(test.data.address, test.data.result)
              : messages.testFailed(test.data.result)}
          </p>
        )}
      </div>
    </>
  );
}

function NoMails({ isFiltered }: { readonly isFiltered: boolean }) {
  const [title, text] = isFiltered
    ? [messages.noMatchTitle, messages.noMatch]
    : [messages.emptyTitle, messages.empty];
  return (
    <EmptyState icon={MailIcon} title={title}>
      {text}
    </EmptyState>
  );
}

const TONES: Readonly<Record<Mail['state'], Tone>> = {
  waiting: 'neutral',
  sent: 'success',
  unconfirmed: 'warning',
  failed: 'danger',
};

const COLUMNS: readonly Column<Mail>[] = [
  { title: messages.recipient, cell: ({ address }) => <Truncated text={address} /> },
  { title: messages.about, cell: ({ kind }) => messages.kindOf(kind) },
  {
    title: messages.state,
    cell: ({ state }) => <Badge tone={TONES[state]}>{messages.states[state]}</Badge>,
  },
  { title: messages.time, cell: ({ createdAt }) => <RelativeTime time={createdAt} /> },
  {
    title: messages.result,
    cell: ({ result, attempts, nextAttemptAt }) => (
      <Wrapped>
        {result ?? messages.none}
        <br />
        <SecondaryText>
          {messages.attempts(attempts)}
          {nextAttemptAt !== null && `, ${messages.next(formatExact(Date.parse(nextAttemptAt)))}`}
        </SecondaryText>
      </Wrapped>
    ),
  },
];
