// Finds nodes of a run whose ComfyUI graph no server of the run's pool can run, and refuses runs with them.
import type { PlannedRun } from '../../engine/reuse.ts';
import type { Step } from '../../engine/types.ts';
import { AppError } from '../../lib/errors.ts';
import { findMissingParts, isComfyNode, type MissingParts } from '../../services/comfyui/missing-parts.ts';
import type { RunCredentials } from '../../services/credentials/credential.ts';
import type { RunDeps } from '../deps.ts';

export interface RunWithCredentials extends Pick<PlannedRun, 'plan' | 'overrides'> {
  readonly credentials: RunCredentials;
  readonly steps: ReadonlyMap<string, Step>;
}

/** Finds the nodes without a result that no server can run. */
export function findComfyIssues(
  deps: Pick<RunDeps, 'db' | 'settings'>,
  { plan, overrides, credentials, steps }: RunWithCredentials,
): Promise<readonly MissingParts[]> {
  const nodes = plan.nodes
    .filter(({ id, nodeType }) => isComfyNode(nodeType) && steps.get(id)?.status !== 'COMPLETED')
    .map(({ id, nodeType, config, inputs }) => ({
      id,
      nodeType,
      config: { ...config, ...overrides.get(id) },
      connectedPorts: new Set(inputs.map(({ port }) => port)),
    }));
  return findMissingParts(deps, deps.db, credentials.get('comfyui')?.pool ?? null, nodes);
}

export const toComfyIssues = (parts: readonly MissingParts[]) =>
  parts.map(({ nodeId, message }) => ({ nodeId, code: 'comfyui_missing', message }));

/** Throws 400 `comfyui_missing` with what each server lacks. */
export function requireServers(parts: readonly MissingParts[]): void {
  const [first] = parts;
  if (first === undefined) return;
  const missing = parts.flatMap(part => part.missing);
  throw new AppError('comfyui_missing', first.message, {
    issues: toComfyIssues(parts),
    details: { missing },
  });
}
