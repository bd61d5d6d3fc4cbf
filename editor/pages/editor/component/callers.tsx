// Lists the workflows that use a component, and updates all of them after a preview.

import { useMutation, useQuery } from '@tanstack/react-query';
import type { ComponentCallerPage, UpdatedCallers } from '../../../../sdk/src/schemas.ts';
import { messages } from '../../../component-messages.ts';
import { Button } from '../../../kit/button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { Failure } from '../../../kit/failure.tsx';
import { useList } from '../../../kit/infinite-list.tsx';
import { type Column, Table } from '../../../kit/table.tsx';
import { TableList } from '../../../kit/table-list.tsx';
import { api } from '../../../lib/api.ts';
import { formatNames } from '../../../lib/format.ts';
import { apiQuery } from '../../../lib/queries.ts';
import { useReloadAndToast } from '../../../lib/reload-and-toast.ts';
import { useInterface } from '../../../session/component-versions.ts';

const callersMessages = messages.callers;

type Caller = ComponentCallerPage['data'][number];
type Outcome = UpdatedCallers['data'][number];
type Outcomes = Pick<UpdatedCallers, 'data' | 'hidden'>;

/** Maximum number of pages of callers to update at once. */
const MAX_PAGES = 100;

/** Updates all callers of the component to the version, page by page. With `dryRun`, only checks them. */
async function updateCallers(workflowId: string, version: number, dryRun: boolean): Promise<Outcomes> {
  const data: Outcome[] = [];
  let cursor: string | null = null;
  let hidden = 0;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const body = { version, dryRun, ...(cursor === null ? {} : { cursor }) };
    const page: UpdatedCallers = await api.post(`${toCallersPath(workflowId)}/update`, body);
    data.push(...page.data);
    hidden = page.hidden;
    cursor = page.nextCursor;
    if (cursor === null) break;
  }
  return { data, hidden };
}

interface CallersDialogProps {
  readonly workflowId: string;
  readonly onClose: () => void;
}

/** Shows the callers of a component. Updates all callers after a preview, and shows the outcome of each. */
export function CallersDialog({ workflowId, onClose }: CallersDialogProps) {
  const current = useInterface(workflowId);
  const reloadAndToast = useReloadAndToast();
  const update = useMutation({
    mutationFn: (dryRun: boolean) => updateCallers(workflowId, current?.version ?? 0, dryRun),
    onSuccess: async (_, isPreview) => {
      if (!isPreview)
        await reloadAndToast(callersMessages.finished, ['/workflows', toCallersPath(workflowId)]);
    },
  });
  const isPreview = update.variables !== false;
  const count = update.data?.data.filter(({ outcome }) => outcome === 'updated').length ?? 0;
  return (
    <Dialog
      title={callersMessages.title(current?.name ?? '…')}
      size="l"
      onClose={onClose}
      actions={
        current !== undefined && (
          <UpdateButton
            step={update.data === undefined ? 'check' : isPreview ? 'confirm' : 'finished'}
            version={current.version}
            count={count}
            isBusy={update.isPending}
            onUpdate={dryRun => update.mutate(dryRun)}
          />
        )
      }
    >
      {update.error && <Failure error={update.error} />}
      {update.data === undefined ? (
        <CallerList workflowId={workflowId} />
      ) : (
        <OutcomeList outcomes={update.data} isPreview={isPreview} />
      )}
    </Dialog>
  );
}

interface UpdateButtonProps {
  readonly step: 'check' | 'confirm' | 'finished';
  readonly version: number;
  /** Number of workflows that would be updated. */
  readonly count: number;
  readonly isBusy: boolean;
  readonly onUpdate: (dryRun: boolean) => void;
}

function UpdateButton({ step, version, count, isBusy, onUpdate }: UpdateButtonProps) {
  if (step === 'check')
    return (
      <Button isBusy={isBusy} onClick={() => onUpdate(true)}>
        {callersMessages.check(version)}
      </Button>
    );
  if (step === 'finished' || count === 0) return null;
  return (
    <Button variant="primary" isBusy={isBusy} onClick={() => onUpdate(false)}>
      {callersMessages.confirm(count)}
    </Button>
  );
}

const toCallersPath = (workflowId: string) => `/workflows/${workflowId}/callers` as const;

/** Lists the workflows that use the component, and counts those that the user may not view. */
export function CallerList({ workflowId }: { readonly workflowId: string }) {
  const path = toCallersPath(workflowId);
  const list = useList(path, { limit: 50 });
  const { data } = useQuery(apiQuery([path], { limit: 1 }));
  const hidden = data?.hidden ?? 0;
  const columns: readonly Column<Caller>[] = [
    {
      title: callersMessages.columns.workflow,
      cell: ({ workflowId: id, name }) => <a href={`/flow/${id}`}>{name}</a>,
    },
    {
      title: callersMessages.columns.version,
      cell: ({ version }) => (typeof version === 'number' ? version : callersMessages.latest),
    },
    { title: callersMessages.columns.nodes, align: 'end', cell: ({ nodeIds }) => nodeIds.length },
  ];
  return (
    <>
      <TableList
        query={list}
        empty={hidden === 0 ? <p>{callersMessages.none}</p> : null}
        label={callersMessages.table}
        columns={columns}
        getKey={({ workflowId: id, version }) => `${id} ${version}`}
      />
      {hidden > 0 && <p>{callersMessages.hidden(hidden)}</p>}
    </>
  );
}

interface OutcomeListProps {
  readonly outcomes: Outcomes;
  readonly isPreview: boolean;
}

function OutcomeList({ outcomes: { data, hidden }, isPreview }: OutcomeListProps) {
  const columns: readonly Column<Outcome>[] = [
    {
      title: callersMessages.columns.workflow,
      cell: ({ workflowId, name }) => <a href={`/flow/${workflowId}`}>{name}</a>,
    },
    {
      title: callersMessages.columns.outcome,
      // Cells of tables do not wrap by default.
      cell: row => <span style={{ whiteSpace: 'normal' }}>{describeOutcome(row, isPreview)}</span>,
    },
  ];
  const isChanging = data.some(({ outcome }) => outcome === 'updated');
  return (
    <>
      <p role="status">
        {!isPreview
          ? callersMessages.finished
          : isChanging
            ? callersMessages.preview
            : data.some(({ outcome }) => outcome === 'refused')
              ? callersMessages.noneUpdated
              : callersMessages.allCurrent}
      </p>
      <Table
        label={callersMessages.table}
        columns={columns}
        rows={data}
        getKey={({ workflowId }) => workflowId}
      />
      {hidden > 0 && <p>{callersMessages.hidden(hidden)}</p>}
    </>
  );
}

/** Returns a sentence with the reasons of a refusal, or else with what the update loses. */
function describeOutcome({ outcome, issues = [], lostPorts }: Outcome, isPreview: boolean): string {
  const labels = [...new Set(lostPorts.map(({ label }) => label))];
  const reasons = issues.map(({ message }) => message);
  return [
    `${callersMessages[isPreview ? 'planned' : 'outcomes'][outcome]}.`,
    ...reasons,
    reasons.length === 0 && labels.length > 0 && callersMessages.lostPorts(formatNames(labels)),
  ]
    .filter(Boolean)
    .join(' ');
}
