// Presents an execution to clients in the format shared by the record, the event stream and the webhook body.
import { isSettled, type NodeStatus, type Step, type StepError } from '../../engine/types.ts';
import type { Plan, PlanNode } from '../../graph/plan.ts';
import type { Json, JsonObject, Value, Values } from '../../graph/types.ts';
import { hasExactText, valueToJson, valueToJsonText } from '../../graph/values.ts';
import { JsonText } from '../../lib/json-text.ts';
import type { ListedDetails } from '../../store/execution-lists.ts';
import type { ExecutionRow } from '../../store/executions.ts';
import { findOriginKind } from '../../store/origins.ts';
import { presentDecision } from '../approvals/present-decision.ts';
import { estimateProgress } from '../change/pace.ts';
import type { RunRequest } from '../prepare/run.schema.ts';
import { parseRunRequest } from '../prepare/run-request.ts';
import { truncateRecord } from './truncate-record.ts';

type ExecutionOutput = { readonly nodeId: string; readonly label: string; readonly type: string } & Readonly<
  Record<string, PresentedJson>
>;

/** A JSON value, or its text if JavaScript would change it. */
export type PresentedJson = Json | JsonText;

/** Presents a value. The type and members of the value are presented separately. */
export function presentValue(value: Value): PresentedJson {
  return hasExactText(value) ? JsonText.trust(valueToJsonText(value)) : valueToJson(value);
}

const toIso = (ms: number | undefined): string | null =>
  ms === undefined ? null : new Date(ms).toISOString();

/** Who views a run. */
export interface Viewer {
  readonly isOwner: boolean;
  /** The components whose nodes the viewer may see. */
  readonly readableIds: ReadonlySet<string>;
}

/** A viewer who is neither an owner nor may read components, such as the receiver of a webhook. */
export const ANYONE: Viewer = { isOwner: false, readableIds: new Set() };

/** Returns whether the node is inside a component that the viewer may not read. The outputs of the component are visible. */
export function isHidden({ category, component }: PresentedNode, { readableIds }: Viewer): boolean {
  if (component === undefined) return false;
  const isComponentOutput = category === 'output' && component.workflowIds.length === 1;
  return !isComponentOutput && component.workflowIds.some(id => !readableIds.has(id));
}

/** Returns the status. A node whose call continues at a provider is RUNNING, even while its run is suspended. */
function presentStatus(step: Step | undefined): NodeStatus {
  return step?.suspended?.kind === 'call' ? 'RUNNING' : (step?.status ?? 'PENDING');
}

/**
 * Returns the share of finished items of a mapped node, or for a provider call the elapsed share of its usual duration.
 */
function presentProgress(step: Step | undefined, nowMs: number): number {
  if (step?.status === 'COMPLETED') return 1;
  if (step === undefined || isSettled(step.status)) return 0;
  const { items, jobs = {} } = step;
  if (items !== undefined) return items.filter(item => item !== null).length / Math.max(1, items.length);
  const { submittedAtMs, usualMs, id = null } = jobs[0] ?? {};
  if (id === null || submittedAtMs === undefined) return 0;
  return estimateProgress(submittedAtMs, usualMs, nowMs) ?? 0;
}

type PresentedNode = Pick<PlanNode, 'id' | 'label' | 'category' | 'component'>;

/** Presents the state of one node. `step` is its newest step, or undefined if the node has not started. */
export function presentStep(node: PresentedNode, step: Step | undefined, viewer: Viewer) {
  const isShown = !isHidden(node, viewer);
  return {
    nodeId: node.id,
    label: isShown ? node.label : '',
    status: presentStatus(step),
    error: step?.error?.message ?? null,
    ...(step?.error?.pointer === undefined || !isShown ? {} : { errorPointer: step.error.pointer }),
    ...(step?.outputs === undefined || !isShown ? {} : presentValues(step.outputs)),
    startedAt: toIso(step?.startedAtMs),
    finishedAt: toIso(step?.finishedAtMs),
    credits: step?.credits ?? 0,
    ...(step?.payer ?? {}),
    cached: step?.cached ?? false,
    ...(step?.fromSample === undefined ? {} : { fromSample: step.fromSample }),
    attempt: step?.attempt ?? 0,
    progress: presentProgress(step, Date.now()),
    ...(step?.truncated === undefined ? {} : { truncated: step.truncated }),
    ...(step?.warnings === undefined || !isShown ? {} : { warnings: step.warnings }),
    ...(step?.approval === undefined || !isShown ? {} : { approval: presentAsked(step) }),
    ...(step?.seeds === undefined || !isShown ? {} : { graphSeeds: step.seeds }),
    ...(viewer.isOwner && step?.attempts !== undefined ? { attempts: step.attempts } : {}),
    ...(viewer.isOwner && step?.provider !== undefined ? { provider: step.provider } : {}),
    ...(viewer.isOwner && isShown && step?.log !== undefined ? { log: step.log } : {}),
  };
}

/** Presents whom a node asks for a decision, and the decision. */
function presentAsked({ approval, suspended }: Step) {
  return {
    id: approval?.id ?? null,
    message: approval?.message ?? '',
    assignees: approval?.assignees ?? [],
    editable: approval?.isEditable ?? false,
    expiresAt: toIso(suspended?.untilMs),
    decision: approval?.decision === undefined ? null : presentDecision(approval.decision),
  };
}

/** Presents the values of a completed node, and the run that computed them. */
export function presentResult(step: Step, { id, finished_at }: Pick<ExecutionRow, 'id' | 'finished_at'>) {
  return {
    executionId: id,
    finishedAt: toIso(step.finishedAtMs) ?? finished_at?.toISOString() ?? null,
    ...(step.outputs === undefined ? {} : presentValues(step.outputs)),
    ...(step.fromSample === undefined ? {} : { fromSample: step.fromSample }),
    ...(step.truncated === undefined ? {} : { truncated: step.truncated }),
  };
}

// The members of a result (docs/api.md, Results): text, value and outputUrl, and their plurals for ports with a list.
const RESULT_MEMBERS = {
  TEXT: ['text', 'texts'],
  NUMBER: ['value', 'values'],
  JSON: ['value', 'values'],
  IMAGE: ['outputUrl', 'outputUrls'],
  VIDEO: ['outputUrl', 'outputUrls'],
  AUDIO: ['outputUrl', 'outputUrls'],
} as const;

type PresentedValues = Record<string, PresentedJson | readonly Readonly<Record<string, PresentedJson>>[]>;

/**
 * Presents the first value of each kind. A list with one item has both forms. If several ports have values, presents all of
 * them by port too.
 */
function presentValues(outputs: Values): PresentedValues {
  const ports = Object.entries(outputs);
  const members: PresentedValues =
    ports.length < 2
      ? {}
      : {
          ports: ports.map(([id, value]) => ({
            id,
            type: value.type,
            [OUTPUT_MEMBERS[value.type]]: presentValue(value),
            ...presentSeed(value),
          })),
        };
  for (const value of Object.values(outputs)) {
    const items = value.type === 'LIST' ? value.items.filter(item => item.type !== 'LIST') : [value];
    const firstItem = items[0];
    if (firstItem === undefined) continue;
    const [singular, plural] = RESULT_MEMBERS[firstItem.type];
    if (value.type === 'LIST') {
      members[plural] ??= presentValue({ type: 'LIST', items });
      const seeds = items.map(findSeed);
      if (seeds.some(seed => seed !== null)) members.seeds ??= seeds;
    }
    if (items.length !== 1) continue;
    members[singular] ??= presentValue(firstItem);
    Object.assign(members, presentSeed(firstItem), presentRender(firstItem));
  }
  return members;
}

/** Returns the seed from which a model made the value, or null. */
const findSeed = (value: Value): number | null => ('media' in value ? value.media.seed : undefined) ?? null;

function presentSeed(value: Value): { readonly seed?: number } {
  const seed = findSeed(value);
  return seed === null ? {} : { seed };
}

/** Presents the details of a rendered video besides its URL. */
function presentRender(value: Value): { readonly render?: JsonObject } {
  if (!('media' in value) || value.media.render === undefined) return {};
  const { width, height, duration, render } = value.media;
  const { posterId: _, ...rest } = render;
  return { render: { width, height, duration, ...rest } };
}

const OUTPUT_MEMBERS = {
  TEXT: 'text',
  NUMBER: 'value',
  JSON: 'value',
  LIST: 'value',
  IMAGE: 'url',
  VIDEO: 'url',
  AUDIO: 'url',
} as const;

/** A value of a node whose results are the results of the run. */
export interface RunOutput {
  readonly node: Plan['nodes'][number];
  readonly value: Value;
}

/** Lists the values of the nodes that `listResultNodes` returns. */
export function listRunOutputs(plan: Plan, steps: ReadonlyMap<string, Step>): readonly RunOutput[] {
  return listResultNodes(plan).flatMap(node =>
    Object.values(steps.get(node.id)?.outputs ?? {}).flatMap(value =>
      (value.type === 'LIST' ? value.items : [value]).map(item => ({ node, value: item })),
    ),
  );
}

/**
 * Lists the output nodes of the workflow or, if it has none, its last nodes. The outputs of a component count as last
 * nodes. Its other last nodes count only if there are no results otherwise.
 */
export function listResultNodes({ nodes }: Plan): Plan['nodes'] {
  const isLast = ({ dependents }: PlanNode): boolean => dependents.length === 0;
  const criteria: ((node: PlanNode) => boolean)[] = [
    node => node.category === 'output' && node.component === undefined,
    node => (node.component === undefined ? isLast(node) : node.component.isOutput),
    isLast,
  ];
  for (const isResult of criteria) {
    const resultNodes = nodes.filter(isResult);
    if (resultNodes.length > 0) return resultNodes;
  }
  return [];
}

/** Presents the results of a run. */
export function presentOutputs(plan: Plan, steps: ReadonlyMap<string, Step>): readonly ExecutionOutput[] {
  return listRunOutputs(plan, steps).map(({ node, value }) => ({
    nodeId: node.id,
    label: node.label,
    type: value.type,
    [OUTPUT_MEMBERS[value.type]]: presentValue(value),
    ...presentSeed(value),
    ...presentRender(value),
  }));
}

export interface StoredError extends StepError {
  readonly nodeId: string | null;
  /** The type of the failed node. Absent in runs of earlier versions. */
  readonly nodeType?: string;
}

type ListedFields = Omit<ExecutionRow, 'request' | 'decisions' | 'components'>;

/** Presents an execution without node states, inputs and outputs. */
export function presentListedExecution(row: ListedFields, metadata: RunRequest['metadata'] | null = null) {
  return {
    id: row.id,
    workflowId: row.workflow_id,
    workflowVersion: row.workflow_version,
    status: row.status,
    trigger: row.trigger,
    metadata,
    error: row.error === null ? null : (JSON.parse(row.error) as StoredError),
    progress: { done: row.nodes_done, total: row.nodes_total },
    credits: {
      estimated: row.credits_estimated ?? 0,
      held: row.credits_held ?? 0,
      charged: row.credits_charged ?? 0,
      released: row.credits_released ?? 0,
    },
    createdAt: row.created_at.toISOString(),
    startedAt: row.started_at?.toISOString() ?? null,
    finishedAt: row.finished_at?.toISOString() ?? null,
    webhook: presentWebhook(row),
    idempotencyKey: row.idempotency_key,
    resumedFromId: row.resumed_from_id,
    ...presentOrigin(row),
  };
}

/** Presents what lists show of the contents of a run, and of its batch. */
export const presentDetails = ({ preview, batch }: ListedDetails) => ({
  preview: preview === null ? null : JsonText.trust(preview),
  batch,
});

function presentOrigin({ origin_id, origin_key }: ListedFields): OriginMembers {
  const kind = origin_id === null ? undefined : findOriginKind(origin_id);
  if (kind === undefined) return {};
  const { idMember, keyMember } = kind;
  return { [idMember]: origin_id, ...(keyMember === undefined ? {} : { [keyMember]: origin_key }) };
}

interface OriginMembers {
  readonly batchId?: string;
  readonly rowKey?: string;
  readonly scheduleId?: string;
  readonly triggerId?: string;
  readonly appId?: string;
}

function presentWebhook(row: ListedFields) {
  // The cleanup may have deleted the delivery of an ended run.
  if (row.webhook === null || (row.finished_at !== null && row.delivery_state === null)) return null;
  const { url } = JSON.parse(row.webhook) as { url: string };
  return {
    url,
    state: row.delivery_state ?? 'pending',
    attempts: row.delivery_attempts ?? 0,
    lastStatusCode: row.delivery_last_status_code,
  };
}

/** Presents the record (docs/api.md, Results), at most 16 MB: longer values are truncated. */
export function presentExecution(
  row: ExecutionRow,
  plan: Plan,
  steps: ReadonlyMap<string, Step>,
  viewer: Viewer,
) {
  const nodeStates = plan.nodes.map(node => presentStep(node, steps.get(node.id), viewer));
  const settledStates = nodeStates.filter(state => !['PENDING', 'RUNNING', 'WAITING'].includes(state.status));
  const { inputs = {} as JsonObject, config, metadata } = parseRunRequest(row.request);
  return truncateRecord({
    ...presentListedExecution({ ...row, nodes_done: settledStates.length }, metadata),
    inputs,
    ...(config === undefined ? {} : { config }),
    nodeStates,
    outputs: presentOutputs(plan, steps),
  });
}

export type ExecutionRecord = ReturnType<typeof presentExecution>;
