// Creates a workflow from an exported file. Media files are stored first; then one transaction inserts their rows and
// the workflow.
import { AppError } from '../../lib/errors.ts';
import { type Actor, requireScope, type UserActor } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';
import { type ReceivedMedia, type Replacement, receiveMedia } from '../media/imported-media.ts';
import { dropMedia } from '../media/receive-file.ts';
import { type CreatedWorkflow, commitNewWorkflow, createBlankRow } from './create-workflow.ts';
import { performWrite } from './graph-work.ts';
import type { ImportBody } from './workflow-file.schema.ts';
import type { GraphInput, GraphWrite } from './write-graph.ts';

/** The same limit as for any body that contains a graph. */
const MAX_GRAPH_BYTES = 4_194_304;
const MEDIA_ID = /med_[0-9a-hjkmnp-tv-z]{26}/g;

/** Imports the workflow. Throws 400 `invalid_graph`, and the errors of an upload for an embedded file. */
export async function importWorkflow(
  deps: Deps,
  actor: Actor,
  body: ImportBody,
  signal: AbortSignal,
): Promise<CreatedWorkflow> {
  const user = requireScope(actor, 'workflows:write');
  const { nodes, edges } = body;
  if (Buffer.byteLength(JSON.stringify([nodes, edges])) > MAX_GRAPH_BYTES) {
    throw new AppError('payload_too_large', `nodes and edges are larger than ${MAX_GRAPH_BYTES} bytes.`);
  }
  // Checked before any file is fetched. It also bounds the depth of the walk below.
  await write(deps, user, { nodes, edges, autoLayout: false });
  const media = await receiveMedia(deps, user, body.media ?? [], signal);
  try {
    return await commitNewWorkflow(deps, user, {
      fields: {
        ...createBlankRow(body.name),
        description: body.description ?? null,
        tags: body.tags ?? [],
      },
      media: media.rows,
      write: { ...(await write(deps, user, replaceMedia({ nodes, edges }, media))), warnings: [] },
      warnings: media.warnings,
    });
  } catch (err) {
    await dropMedia(deps, media.rows);
    throw err;
  }
}

const write = (deps: Deps, user: UserActor, input: GraphInput): Promise<GraphWrite> =>
  performWrite(deps, user, { kind: 'write', input });

function replaceMedia(graph: { nodes: unknown; edges: unknown }, { replacements }: ReceivedMedia) {
  const walk = (value: unknown): unknown => {
    if (typeof value === 'string') return replaceIn(value, replacements);
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, walk(member)]));
  };
  if (replacements.size === 0) return { ...graph, autoLayout: false };
  return { nodes: walk(graph.nodes), edges: walk(graph.edges), autoLayout: false };
}

/** Replaces URLs first, because they contain the id. */
function replaceIn(text: string, replacements: ReadonlyMap<string, Replacement>): string {
  const used = [...new Set(text.match(MEDIA_ID))].flatMap(id => replacements.get(id) ?? []);
  const rewritten = used.reduce((result, { oldUrl, url }) => result.replaceAll(oldUrl, () => url), text);
  return rewritten.replaceAll(MEDIA_ID, id => replacements.get(id)?.id ?? id);
}
