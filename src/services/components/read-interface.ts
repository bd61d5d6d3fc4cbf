// Reads the interface of a workflow: the ports that it has as a component.
import type { Catalog } from '../../graph/catalog.ts';
import type { ComponentInterface } from '../../graph/components/interface.ts';
import type { ComponentPort } from '../../graph/config-ports.ts';
import { getInputNames } from '../../graph/input-names.ts';
import { AppError } from '../../lib/errors.ts';
import { type Actor, requireScope } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';
import type { GraphVersion } from '../workflows/graph-versions.ts';
import { performGraphWork } from '../workflows/graph-work.ts';
import { getViewForReading, getVisibleVersion, isPublicationOnly } from '../workflows/read-workflow.ts';

export interface WorkflowInterface extends ComponentInterface {
  /** Also with the names by which runs set them. */
  readonly inputs: readonly NamedPort[];
  readonly workflowId: string;
  readonly name: string;
  readonly version: number;
}

interface NamedPort extends ComponentPort {
  readonly name: string;
}

/** Returns the interface of the version. Throws 403, and 404 for a version that the caller may not see. */
export async function readComponentInterface(
  deps: Deps,
  actor: Actor,
  id: string,
  requestedVersion?: number,
): Promise<WorkflowInterface> {
  const user = requireScope(actor, 'workflows:read');
  const view = await getViewForReading(deps, user, id);
  const visible = getVisibleVersion(view);
  const number = requestedVersion ?? visible;
  if (number !== visible && isPublicationOnly(view))
    throw new AppError('not_found', `Version ${number} of the workflow was not found.`);
  const version = await deps.versions.get(deps.db, id, number);
  const { inputs, outputs } = await findInterface(deps, version);
  const names = getInputNames(version.graph.nodes);
  return {
    workflowId: id,
    name: view.workflow.name,
    version: number,
    inputs: inputs.map(port => ({ ...port, name: names.get(port.id) ?? port.id })),
    outputs,
  };
}

interface CachedInterface {
  /** The catalog that the interface was computed with. Its models can change, and with them the types of ports. */
  readonly entries: Catalog['entries'];
  readonly ports: Promise<ComponentInterface>;
}
const interfaces = new WeakMap<GraphVersion, CachedInterface>();

/** Returns the interface of the version, which is computed once per version and catalog. */
function findInterface(
  deps: Pick<Deps, 'catalog' | 'settings'>,
  version: GraphVersion,
): Promise<ComponentInterface> {
  const { entries } = deps.catalog;
  const cached = interfaces.get(version);
  if (cached?.entries === entries) return cached.ports;
  const ports = performGraphWork<'interface'>(deps, { kind: 'interface', stored: version });
  interfaces.set(version, { entries, ports });
  ports.catch(() => interfaces.delete(version));
  return ports;
}
