// Renders the page of the workflow editor.
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useParams, useSearch } from 'wouter';
import type { Catalog, CatalogEntry } from '../../../src/graph/catalog.ts';
import { createCatalog } from '../../board/catalog.ts';
import { compareBoards } from '../../board/difference.ts';
import { type OpenBoard, openBoard } from '../../board/open-board.ts';
import { messages as componentMessages } from '../../component-messages.ts';
import { messages } from '../../flow-messages.ts';
import { Failure } from '../../kit/failure.tsx';
import { Loading } from '../../kit/spinner.tsx';
import { api } from '../../lib/api.ts';
import { useSession } from '../../lib/session.ts';
import { showToast } from '../../lib/toasts.ts';
import { parseTrail, type TrailStep, toFlowHref } from '../../lib/trail.ts';
import { toInterfaceKey } from '../../session/component-versions.ts';
import { createView, type EditorContextValue, EditorProvider } from '../../session/editor-context.tsx';
import { type CallerRuns, createRunStore } from '../../session/runs/run-store.ts';
import { Editor } from './editor.tsx';

export function Page() {
  const { id = '' } = useParams<{ id: string }>();
  const trail = parseTrail(useSearch());
  // The key gives each workflow, and each path to a component, a new editor without the state of the previous editor.
  return <OpenEditor key={toFlowHref(id, trail)} id={id} trail={trail} />;
}

type OpenState = { readonly value: EditorContextValue } | { readonly error: unknown } | undefined;

type OpenEditorProps = Pick<OpenOptions, 'id' | 'trail'>;

function OpenEditor({ id, trail }: OpenEditorProps) {
  const { user } = useSession();
  const queries = useQueryClient();
  const [state, setState] = useState<OpenState>();
  const [attempt, setAttempt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt opens a new session; the key has the trail
  useEffect(() => {
    const controller = new AbortController();
    let value: EditorContextValue | undefined;
    openEditor({ id, trail, userId: String(user.userId), queries }, controller.signal).then(
      opened => {
        value = opened;
        if (controller.signal.aborted) closeEditor(opened);
        else setState({ value: opened });
      },
      (error: unknown) => controller.signal.aborted || setState({ error }),
    );
    return () => {
      controller.abort();
      if (value !== undefined) closeEditor(value);
      setState(undefined);
    };
  }, [id, user.userId, queries, attempt]);
  if (state !== undefined && 'error' in state)
    return <Failure error={state.error} onRetry={() => setAttempt(attempt + 1)} />;
  if (state === undefined) return <Loading />;
  return (
    <EditorProvider value={state.value}>
      <Editor />
    </EditorProvider>
  );
}

interface OpenOptions {
  readonly id: string;
  readonly trail: readonly TrailStep[];
  readonly userId: string;
  readonly queries: QueryClient;
}

/** Loads the catalog, the workflow and the draft in parallel. */
async function openEditor(
  { id, trail, userId, queries }: OpenOptions,
  signal: AbortSignal,
): Promise<EditorContextValue> {
  const view = createView();
  const onNoDraft = (): void =>
    showToast(messages.flow.noDraft, {
      tone: 'failed',
      action: {
        label: messages.flow.tools.export,
        run: () => view.setState({ panel: { kind: 'export' } }),
      },
    });
  const catalog = readCatalog(queries);
  const step = trail.at(-1);
  const version =
    step === undefined || step.isCurrent || step.version === 'latest' ? undefined : step.version;
  const rejection = version === undefined ? componentMessages.readOnly : componentMessages.readOnlyVersion;
  const onRejectedEdit = (): void => showToast(rejection, { tone: 'failed' });
  const session = await openBoard({ id, userId, version, catalog, onNoDraft, onRejectedEdit }, signal);
  const runs = createRunStore(
    id,
    () => session.saver.flushOrThrowOnConflict('autosave'),
    toCallerRuns(trail),
  );
  watchSaves(session, () => {
    runs.refreshResults();
    // A component has a new version, and perhaps other ports.
    void queries.invalidateQueries({ queryKey: toInterfaceKey(id) });
  });
  return { session, runs, view, canvas: { current: undefined }, trail };
}

/** In runs of the outermost workflow, ids of the component's nodes begin with the ids of the calls on the path to it. */
function toCallerRuns(trail: readonly TrailStep[]): CallerRuns | undefined {
  const [outermost] = trail;
  if (outermost === undefined) return undefined;
  return { workflowId: outermost.workflowId, prefix: trail.map(({ nodeId }) => `${nodeId}/`).join('') };
}

/** Calls back after each save that may change which results are current. */
function watchSaves({ store, saver }: OpenBoard, onChange: () => void): void {
  let lastBoard = saver.base.board;
  store.subscribe(({ save }, before) => {
    if (save === before.save || save.kind === 'saving' || saver.base.board === lastBoard) return;
    const { statuses, removed, edges } = compareBoards(lastBoard, saver.base.board);
    lastBoard = saver.base.board;
    const isChanged = [...statuses.values()].some(status => status !== 'moved');
    if (isChanged || removed.length + edges.added + edges.removed > 0) onChange();
  });
}

async function readCatalog(queries: QueryClient): Promise<Catalog> {
  const { nodes } = await queries.ensureQueryData({
    queryKey: ['/nodes', 'all'],
    queryFn: () => api.get<{ nodes: CatalogEntry[] }>('/nodes', { query: { includeHidden: 1 } }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return createCatalog(nodes);
}

function closeEditor({ session, runs }: EditorContextValue): void {
  session.close();
  runs.close();
}
