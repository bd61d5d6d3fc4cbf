// Creates a workflow and its components from an exported file. First stores the media files. Then one transaction
// inserts the rows of the media and the workflows.
import { AppError } from '../../lib/errors.ts';
import { replaceAllText } from '../../lib/find-text.ts';
import { MAX_GRAPH_BYTES } from '../../lib/size-limits.ts';
import { yieldTurn } from '../../lib/yield-turn.ts';
import type { Tx } from '../../store/db.ts';
import { upsertImportedComponent } from '../../store/workflows/imported-components.ts';
import { findMediaIds, replaceMediaIds } from '../../store/workflows/versions.ts';
import { getPersonalWorkspaceId } from '../accounts/access.ts';
import { type Actor, requireScope, type UserActor } from '../accounts/actor.ts';
import { MAX_COMPONENT_BYTES } from '../components/exported-components.ts';
import { type NewComponent, prepareComponents } from '../components/imported-components.ts';
import type { Deps } from '../deps.ts';
import { type ImportedMedia, importMedia, type Replacement } from '../media/imported-media.ts';
import {
  type CreatedWorkflow,
  commitNewWorkflow,
  createBlankRow,
  insertNewWorkflow,
} from './create-workflow.ts';
import { performWrite } from './graph-work.ts';
import type { ImportedFile, OwnImport } from './workflow-file.schema.ts';
import type { GraphWrite } from './write-graph.ts';

/** Imports the workflow. Throws 400 `invalid_graph`, and the errors of an upload for embedded files. */
export async function importWorkflow(
  deps: Deps,
  actor: Actor,
  body: OwnImport,
  signal: AbortSignal,
): Promise<CreatedWorkflow> {
  const user = requireScope(actor, 'workflows:write');
  await requireWithinLimits(body);
  // Graphs are checked before any file is fetched.
  const { newComponents, reusedTexts, imported, linkCalls } = await prepareComponents(deps, user, body);
  const input = { nodes: linkCalls(body.nodes), edges: body.edges, autoLayout: false };
  const write = await performWrite({ ...deps, imported }, user, { kind: 'write', input });
  const texts = [write.text, ...newComponents.map(component => component.write.text)];
  const media = await importMedia(
    deps,
    user,
    listFilesToImport(body.media ?? [], texts, reusedTexts),
    signal,
  );
  const components: NewComponent[] = [];
  for (const component of newComponents)
    components.push({ ...component, write: await replaceMedia(component.write, media) });
  return commitNewWorkflow(deps, user, {
    fields: toFields(body),
    media: media.rows,
    write: { ...(await replaceMedia(write, media)), warnings: [] },
    warnings: media.warnings,
    beforeInsert: async tx => {
      for (const component of components) await insertComponent(deps, tx, user, component);
    },
  });
}

async function requireWithinLimits({ nodes, edges, components = [] }: OwnImport): Promise<void> {
  let componentBytes = 0;
  for (const graph of [{ nodes, edges }, ...components]) {
    const bytes = Buffer.byteLength(JSON.stringify([graph.nodes, graph.edges]));
    if (bytes > MAX_GRAPH_BYTES)
      throw new AppError('payload_too_large', `nodes and edges are larger than ${MAX_GRAPH_BYTES} bytes.`);
    if (graph.nodes !== nodes) componentBytes += bytes;
    // Each graph may take long to write.
    await yieldTurn();
  }
  if (componentBytes > MAX_COMPONENT_BYTES)
    throw new AppError(
      'payload_too_large',
      `The components are larger than ${MAX_COMPONENT_BYTES} bytes. Import them one by one.`,
    );
}

/** Returns the files, except files that only reused components use. */
function listFilesToImport(
  files: readonly ImportedFile[],
  texts: readonly string[],
  reusedTexts: readonly string[],
): readonly ImportedFile[] {
  return files.filter(
    ({ mediaId }) =>
      texts.some(text => text.includes(mediaId)) || !reusedTexts.some(text => text.includes(mediaId)),
  );
}

const toFields = ({ name, description, tags }: Pick<OwnImport, 'name' | 'description' | 'tags'>) => ({
  ...createBlankRow(name),
  description: description ?? null,
  tags: tags ?? [],
});

async function insertComponent(
  deps: Deps,
  tx: Tx,
  user: UserActor,
  { id, hash, source, write }: NewComponent,
): Promise<void> {
  await insertNewWorkflow(deps, tx, user, { id, fields: toFields(source), write });
  await upsertImportedComponent(tx, { workspace: getPersonalWorkspaceId(user.userId), hash, workflowId: id });
}

async function replaceMedia(write: GraphWrite, { replacements }: ImportedMedia): Promise<GraphWrite> {
  if (replacements.size === 0) return write;
  return { ...write, graph: undefined, text: await replaceIn(write.text, replacements) };
}

/** Replaces the URLs and ids of media in the text. Replaces URLs first, because they contain ids. */
async function replaceIn(text: string, replacements: ReadonlyMap<string, Replacement>): Promise<string> {
  let textWithNewUrls = text;
  for (const { oldUrl, url } of findMediaIds(text).flatMap(id => replacements.get(id) ?? [])) {
    await yieldTurn();
    textWithNewUrls = replaceAllText(textWithNewUrls, toJsonText(oldUrl), toJsonText(url));
  }
  return replaceMediaIds(textWithNewUrls, new Map([...replacements].map(([oldId, { id }]) => [oldId, id])));
}

const toJsonText = (text: string): string => JSON.stringify(text).slice(1, -1);
