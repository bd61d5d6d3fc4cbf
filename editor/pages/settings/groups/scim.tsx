// Renders the SCIM token: its URL, when it was used, and actions to create, replace and revoke it.
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ScimToken } from '../../../../sdk/src/schemas.ts';
import { Button } from '../../../kit/button.tsx';
import { ConfirmDialog } from '../../../kit/confirm-dialog.tsx';
import { CopyButton } from '../../../kit/copy-button.tsx';
import { Failure } from '../../../kit/failure.tsx';
import { QueryResult } from '../../../kit/query-result.tsx';
import { RelativeTime } from '../../../kit/time.tsx';
import { api } from '../../../lib/api.ts';
import { useReloadAndToast } from '../../../lib/reload-and-toast.ts';
import { messages as settingsMessages } from '../messages.ts';
import { Day, DetailList, Introduction, Section } from '../section.tsx';
import { ShowOnceDialog } from '../show-once-dialog.tsx';
import { messages as groupMessages } from './messages.ts';

const messages = groupMessages.scim;
const PATH = '/admin/scim-token';

export function Scim() {
  const query = useQuery({ queryKey: [PATH], queryFn: () => api.get(PATH) });
  const [secret, setSecret] = useState<string>();
  const [question, setQuestion] = useState<'replace' | 'revoke'>();
  const reloadAndToast = useReloadAndToast();
  const create = async (): Promise<void> => {
    const { token } = await api.post(PATH);
    setSecret(token);
    await query.refetch();
  };
  const creation = useMutation({ mutationFn: create });
  const close = (): void => setQuestion(undefined);
  return (
    <Section title={messages.title} actions={query.data !== undefined && renderActions(query.data)}>
      <Introduction>{messages.description}</Introduction>
      {creation.error && <Failure error={creation.error} />}
      <QueryResult query={query}>
        {token => token.createdAt !== null && <Details token={token} createdAt={token.createdAt} />}
      </QueryResult>
      {question === 'replace' && (
        <ConfirmDialog
          title={messages.replaceTitle}
          action={messages.replace}
          onConfirm={create}
          onClose={close}
        >
          {messages.replaceText}
        </ConfirmDialog>
      )}
      {question === 'revoke' && (
        <ConfirmDialog
          title={messages.revokeTitle}
          action={messages.revoke}
          onConfirm={async () => {
            await api.delete(PATH);
            await reloadAndToast(messages.revoked, [PATH]);
          }}
          onClose={close}
        >
          {messages.revokeText}
        </ConfirmDialog>
      )}
      {secret !== undefined && (
        <ShowOnceDialog
          title={messages.newTitle}
          text={messages.newText}
          label={messages.token}
          secret={secret}
          onClose={() => setSecret(undefined)}
        />
      )}
    </Section>
  );

  function renderActions({ createdAt }: ScimToken) {
    if (createdAt === null)
      return (
        <Button isBusy={creation.isPending} onClick={() => creation.mutate()}>
          {messages.create}
        </Button>
      );
    return (
      <>
        <Button onClick={() => setQuestion('replace')}>{messages.replace}</Button>
        <Button onClick={() => setQuestion('revoke')}>{messages.revoke}</Button>
      </>
    );
  }
}

interface DetailsProps {
  readonly token: ScimToken;
  readonly createdAt: string;
}

function Details({ token: { url, lastUsedAt }, createdAt }: DetailsProps) {
  return (
    <DetailList
      details={[
        [
          messages.url,
          <span key="url">
            <code>{url}</code> <CopyButton text={url} label={messages.copyUrl} size="s" />
          </span>,
        ],
        [settingsMessages.created, <Day key="day" time={createdAt} />],
        [
          messages.lastUsed,
          lastUsedAt === null ? settingsMessages.never : <RelativeTime key="used" time={lastUsedAt} />,
        ],
      ]}
    />
  );
}
