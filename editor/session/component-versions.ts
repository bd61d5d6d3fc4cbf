// Reads components that the board calls, opens them in place, and updates calls to other versions.
import { useQuery } from '@tanstack/react-query';
import { navigate } from 'wouter/use-browser-location';
import { isComponentCall, readCall } from '../../src/graph/components/calls.ts';
import type { GraphNode } from '../../src/graph/types.ts';
import { findNode } from '../board/board.ts';
import { getComponentName } from '../board/call.ts';
import {
  type CallTarget,
  type CallUpdate,
  type ComponentVersion,
  updateCall,
} from '../board/component-update.ts';
import { messages } from '../component-messages.ts';
import { showError } from '../kit/failure.tsx';
import { api } from '../lib/api.ts';
import { apiQuery } from '../lib/queries.ts';
import { toCallerHref, toFlowHref } from '../lib/trail.ts';
import type { EditorContextValue } from './editor-context.tsx';
import { performWithToast } from './undo-toast.ts';

/** The component that a node calls. */
export interface CalledComponent {
  readonly workflowId: string;
  readonly version: number | 'latest';
  readonly name: string;
}

/** Returns the component that the node calls, or undefined for other nodes and calls that are not set up. */
export function getCalledComponent(node: GraphNode): CalledComponent | undefined {
  const { workflowId, version } = readCall(node);
  if (!isComponentCall(node) || workflowId === '') return undefined;
  return { workflowId, version, name: getComponentName(node) || node.data.label };
}

const toInterfaceQuery = (workflowId: string) =>
  apiQuery<ComponentVersion>(['/workflows', encodeURIComponent(workflowId), 'interface']);

export const toInterfaceKey = (workflowId: string): readonly unknown[] =>
  toInterfaceQuery(workflowId).queryKey;

/** Reads a version of a workflow with its ports. Default: the current version. */
export const readInterface = (workflowId: string, version?: number): Promise<ComponentVersion> =>
  api.get<ComponentVersion>(`/workflows/${encodeURIComponent(workflowId)}/interface`, {
    query: version === undefined ? {} : { version },
  });

/** Returns the current version of a workflow with its ports, or undefined if it is not loaded or not readable. */
export function useInterface(workflowId: string | undefined): ComponentVersion | undefined {
  const { data } = useQuery({
    ...toInterfaceQuery(workflowId ?? ''),
    enabled: workflowId !== undefined,
  });
  return data;
}

/** Returns the current version of the called component if the call uses an earlier one. */
export function useNewerVersion(node: GraphNode): ComponentVersion | undefined {
  const component = getCalledComponent(node);
  const hasFixedVersion = component !== undefined && component.version !== 'latest';
  const current = useInterface(hasFixedVersion ? component.workflowId : undefined);
  return hasFixedVersion && current !== undefined && current.version > Number(component.version)
    ? current
    : undefined;
}

type Editor = Pick<EditorContextValue, 'session' | 'trail'>;

/**
 * Opens the component that the node calls in place: with the path back, and with the states of the caller's run. Opens
 * the version that the call uses. An earlier version is read-only.
 */
export async function openComponent({ session, trail }: Editor, nodeId: string): Promise<void> {
  const node = findNode(session.store.getState().board, nodeId);
  const component = node && getCalledComponent(node);
  if (component === undefined) return;
  const { workflowId, version } = component;
  const { href } = location;
  try {
    const isCurrent = version === 'latest' || (await readInterface(workflowId)).version === version;
    // The user may have opened another page meanwhile.
    if (location.href === href)
      navigate(toFlowHref(workflowId, [...trail, { workflowId: session.id, nodeId, version, isCurrent }]));
  } catch (error) {
    showError(error);
  }
}

/** The call to show when the user comes back to its workflow. */
let pendingReturn:
  | { readonly workflowId: string; readonly nodeId: string; readonly updatesCall: boolean }
  | undefined;

/** Goes back to the workflow from which the component was opened. `updatesCall` makes its call use the current version. */
export function goToCaller({ trail }: Pick<Editor, 'trail'>, updatesCall = false): void {
  const step = trail.at(-1);
  if (step === undefined) return;
  pendingReturn = { workflowId: step.workflowId, nodeId: step.nodeId, updatesCall };
  navigate(toCallerHref(trail));
}

/** Returns the call to show in the workflow, and clears it. */
export function takePendingReturn(workflowId: string): typeof pendingReturn {
  const result = pendingReturn?.workflowId === workflowId ? pendingReturn : undefined;
  pendingReturn = undefined;
  return result;
}

/** Returns the changes that make the call use the version. */
export function planUpdate(
  { session }: Pick<Editor, 'session'>,
  nodeId: string,
  target: CallTarget,
): CallUpdate {
  return updateCall(session.store.getState().board, session.catalog, nodeId, target);
}

/** Makes the call use the version, as one undo step. Shows a toast with the number of removed connections. */
export function applyVersion({ session }: Pick<Editor, 'session'>, nodeId: string, target: CallTarget): void {
  const { changes, lostEdges } = planUpdate({ session }, nodeId, target);
  const text = messages.update.done(target.name, target.version, lostEdges);
  performWithToast(session, { label: messages.update.edit, changes, text });
}
