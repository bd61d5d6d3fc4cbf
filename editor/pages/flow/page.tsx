// The editor of a workflow.
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useParams } from 'wouter';
import type { CatalogEntry } from '../../../src/graph/catalog.ts';
import { createCatalog } from '../../board/catalog.ts';
import { createView, type EditorContextValue, EditorProvider } from '../../board/editor-context.tsx';
import { openSession } from '../../board/session.ts';
import { Failure } from '../../kit/failure.tsx';
import { Loading } from '../../kit/spinner.tsx';
import { api } from '../../lib/api.ts';
import { useSession } from '../../lib/session.ts';
import { showToast } from '../../lib/toasts.ts';
import { messages } from '../../messages.ts';
import { createRunStore } from '../../runs/run-store.ts';
import { Editor } from './editor.tsx';

export function Page() {
  const { id = '' } = useParams<{ id: string }>();
  // Another workflow is another editor: nothing of the first one is left.
  return <OpenEditor key={id} id={id} />;
}

type Opened = { readonly value: EditorContextValue } | { readonly error: unknown } | undefined;

function OpenEditor({ id }: { readonly id: string }) {
  const { user } = useSession();
  const catalog = useQuery({
    queryKey: ['/nodes', 'all'],
    queryFn: ({ signal }) =>
      api.get<{ nodes: CatalogEntry[] }>('/nodes', { query: { includeHidden: 1 }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const [opened, setOpened] = useState<Opened>();
  const [attempt, setAttempt] = useState(0);
  const entries = catalog.data?.nodes;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new attempt opens anew
  useEffect(() => {
    if (entries === undefined) return;
    const stop = new AbortController();
    let value: EditorContextValue | undefined;
    openEditor({ id, userId: String(user.userId), entries }, stop.signal).then(
      made => {
        value = made;
        if (stop.signal.aborted) close(made);
        else setOpened({ value: made });
      },
      (error: unknown) => stop.signal.aborted || setOpened({ error }),
    );
    return () => {
      stop.abort();
      if (value !== undefined) close(value);
      setOpened(undefined);
    };
  }, [id, user.userId, entries, attempt]);
  const error = catalog.error ?? (opened && 'error' in opened ? opened.error : null);
  const retry = (): void => {
    void catalog.refetch();
    setAttempt(attempt + 1);
  };
  if (error !== null) return <Failure error={error} onRetry={retry} />;
  if (opened === undefined || 'error' in opened) return <Loading />;
  return (
    <EditorProvider value={opened.value}>
      <Editor />
    </EditorProvider>
  );
}

interface Order {
  readonly id: string;
  readonly userId: string;
  readonly entries: readonly CatalogEntry[];
}

async function openEditor({ id, userId, entries }: Order, signal: AbortSignal): Promise<EditorContextValue> {
  const onNoDraft = (): void => showToast(messages.flow.noDraft, { tone: 'failed' });
  const session = await openSession({ id, userId, catalog: createCatalog(entries), onNoDraft }, signal);
  const runs = createRunStore(id, () => session.saver.flush('autosave'));
  return { session, runs, view: createView(), canvas: { current: undefined } };
}

function close({ session, runs }: EditorContextValue): void {
  session.close();
  runs.close();
}
