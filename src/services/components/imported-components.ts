// Prepares the components of an imported file, each after the components that it calls. Reuses the workflow of an
// earlier import if the content of the component is the same.
import type { ComponentCall } from '../../graph/components/calls.ts';
import {
  createFileFinder,
  type FindInFile,
  mapFileCalls,
  orderFileComponents,
} from '../../graph/components/file-components.ts';
import { sha256 } from '../../lib/crypto.ts';
import { AppError } from '../../lib/errors.ts';
import { replaceAllText } from '../../lib/find-text.ts';
import { newId } from '../../lib/ids.ts';
import { yieldTurn } from '../../lib/yield-turn.ts';
import { findImportedComponent } from '../../store/workflows/imported-components.ts';
import { getPersonalWorkspaceId } from '../accounts/access.ts';
import type { UserActor } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';
import { createVersion } from '../workflows/graph-versions.ts';
import { performWrite } from '../workflows/graph-work.ts';
import type { ImportBody, ImportedComponent } from '../workflows/workflow-file.schema.ts';
import type { GraphWrite } from '../workflows/write-graph.ts';
import type { Component } from './read-components.ts';

/** A component to create. */
export interface NewComponent {
  readonly id: string;
  readonly hash: Buffer;
  readonly source: ImportedComponent;
  readonly write: GraphWrite;
}

export interface PreparedComponents {
  readonly newComponents: readonly NewComponent[];
  /** The graphs of components that exist already. */
  readonly reusedTexts: readonly string[];
  /** All components of the file, by the id of their workflow. */
  readonly imported: ReadonlyMap<string, Component>;
  /** Makes calls of the file's components refer to the workflows that replace them. Returns the changed nodes. */
  linkCalls(nodes: unknown): unknown;
}

/** The workflow that replaces a component of the file. */
interface LinkedComponent {
  readonly id: string;
  readonly hash: Buffer;
  /** Whether its current version is the imported one. */
  readonly isCurrent: boolean;
}

/** Prepares the components of the file. Throws 400 `invalid_graph`, `component_circle` and other errors of a write. */
export async function prepareComponents(
  deps: Deps,
  user: UserActor,
  body: ImportBody,
): Promise<PreparedComponents> {
  const find = createFileFinder(body.components ?? []);
  const { ordered, circular } = orderFileComponents(body.nodes, find);
  if (circular !== undefined)
    throw new AppError(
      'component_circle',
      `The component “${circular.name}” of the file contains itself. Remove one of the calls.`,
    );
  const linked = new Map<ImportedComponent, LinkedComponent>();
  const imported = new Map<string, Component>();
  const newComponents: NewComponent[] = [];
  const reusedTexts: string[] = [];
  const workspace = getPersonalWorkspaceId(user.userId);
  const linkCalls = (nodes: unknown): unknown => mapFileCalls(nodes, call => linkCall(call, find, linked));
  for (const source of ordered) {
    const write = await writeComponent(deps, user, { source, nodes: linkCalls(source.nodes), imported });
    // Each step may take long for a large component.
    await yieldTurn();
    const hash = await hashComponent(source, write.text, linked, body.media ?? []);
    const existing = await findImportedComponent(deps.db, { userId: user.userId, workspace, hash });
    const id = existing?.id ?? newId('workflow', deps.now());
    linked.set(source, { id, hash, isCurrent: (existing?.version ?? 1) === 1 });
    const { graph, characters, mentionsSecrets } = createVersion({ text: write.text }, deps.catalog);
    const { name } = source;
    const component = { workflowId: id, name, version: 1, graph, characters, mentionsSecrets };
    imported.set(id, { ...component, isDeleted: false });
    if (existing === undefined) newComponents.push({ id, hash, source, write });
    else reusedTexts.push(write.text);
  }
  return { newComponents, reusedTexts, imported, linkCalls };
}

function linkCall(
  call: ComponentCall,
  find: FindInFile<ImportedComponent>,
  linked: ReadonlyMap<ImportedComponent, LinkedComponent>,
): Readonly<Record<string, unknown>> | undefined {
  const component = find(call);
  const target = component && linked.get(component);
  if (target === undefined) return undefined;
  // If the workflow was changed since its first import, its latest version is not what the file contains.
  return { workflowId: target.id, version: call.version === 'latest' && target.isCurrent ? 'latest' : 1 };
}

async function writeComponent(
  deps: Deps,
  user: UserActor,
  component: {
    readonly source: ImportedComponent;
    readonly nodes: unknown;
    readonly imported: ReadonlyMap<string, Component>;
  },
): Promise<GraphWrite> {
  const { source, nodes, imported } = component;
  try {
    const input = { nodes, edges: source.edges, autoLayout: false };
    return await performWrite({ ...deps, imported }, user, { kind: 'write', input });
  } catch (err) {
    if (!(err instanceof AppError) || err.status >= 500) throw err;
    throw new AppError(err.code, `The component “${source.name}” of the file: ${err.message}`, {
      cause: err,
      ...(err.issues === undefined ? {} : { issues: err.issues }),
    });
  }
}

const ID = /(?:wf|med)_[0-9a-hjkmnp-tv-z]{26}/g;

/** Hashes the content with the ids of components and media replaced by their hashes, since ids differ per service. */
async function hashComponent(
  { name }: ImportedComponent,
  text: string,
  linked: ReadonlyMap<ImportedComponent, LinkedComponent>,
  media: NonNullable<ImportBody['media']>,
): Promise<Buffer> {
  const hashes = new Map([...linked.values()].map(({ id, hash }) => [id, hash.toString('hex')]));
  let content = text;
  for (const { mediaId, url, sha256: hash } of media) {
    if (hash === undefined || !text.includes(mediaId)) continue;
    hashes.set(mediaId, hash);
    await yieldTurn();
    content = replaceAllText(content, JSON.stringify(url).slice(1, -1), hash);
  }
  return sha256(JSON.stringify([name, content.replaceAll(ID, id => hashes.get(id) ?? id)]));
}
