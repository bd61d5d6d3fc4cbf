// Decides from which nodes of a run a secret without hosts may be sent: in a run that the workflow's creator started by
// hand, from nodes whose destination only the creator decides.
import type { Plan } from '../../graph/plan.ts';
import type { Tx } from '../../store/db.ts';
import { isStartedByHand } from '../../store/origins.ts';
import { findNodesByOthers } from '../../store/workflows/versions.ts';

export interface RunWithSecrets {
  readonly id: string;
  readonly workflow_id: string;
  readonly workflow_version: number;
  /** The user who started the run. */
  readonly user_id: number;
}

export interface SecretUse {
  readonly isByHand: boolean;
  readonly plan: Plan;
  /** The nodes that take a result of another run, which others may have started. */
  readonly pinned: ReadonlySet<string>;
  /** The nodes that others than the creator wrote last; undefined if nobody knows. */
  readonly nodesByOthers: ReadonlySet<string> | undefined;
}

/** Outputs what somebody else may decide. */
const APPROVAL = 'logic:approval';
/** The port whose value decides where a node sends its request. */
const ADDRESS_PORT = 'url';

interface ReadUse extends Pick<SecretUse, 'plan' | 'pinned'> {
  readonly run: RunWithSecrets;
  readonly creatorId: number | null;
}

export async function readSecretUse(tx: Tx, { run, creatorId, ...use }: ReadUse): Promise<SecretUse> {
  const isByHand = run.user_id === creatorId && (await isStartedByHand(tx, run.id, creatorId));
  if (!isByHand) return { ...use, isByHand, nodesByOthers: undefined };
  const ids = await findNodesByOthers(tx, run.workflow_id, run.workflow_version);
  return { ...use, isByHand, nodesByOthers: ids && new Set(ids) };
}

/** Returns where the secret would be sent instead, as the end of a sentence; undefined if the node may send it. */
export function findRefusal(use: SecretUse, nodeId: string): string | undefined {
  if (!use.isByHand)
    return 'in runs that the workflow’s creator starts by hand, not by a schedule, trigger or app.';
  if (isByCreator(use, nodeId)) return undefined;
  return 'from nodes that the workflow’s creator wrote. Someone else changed this node or a node that its URL comes from, or one of them is part of a component, has a pinned result, or waits for an approval.';
}

/** Returns whether the creator wrote the node and all nodes from which its URL comes. */
function isByCreator({ plan: { nodes }, pinned, nodesByOthers }: SecretUse, nodeId: string): boolean {
  if (nodesByOthers === undefined) return false;
  const start = nodes.findIndex(({ id }) => id === nodeId);
  const addresses = nodes[start]?.inputs.filter(({ port }) => port === ADDRESS_PORT) ?? [];
  const visited = new Set([start]);
  const open = addresses.map(({ sourceIndex }) => sourceIndex);
  for (let index = open.pop(); index !== undefined; index = open.pop()) {
    if (visited.has(index)) continue;
    visited.add(index);
    open.push(...(nodes[index]?.inputs ?? []).map(({ sourceIndex }) => sourceIndex));
  }
  return [...visited].every(index => {
    const node = nodes[index];
    if (node === undefined || node.component !== undefined || node.nodeType === APPROVAL) return false;
    return !pinned.has(node.id) && !nodesByOthers.has(node.id);
  });
}
