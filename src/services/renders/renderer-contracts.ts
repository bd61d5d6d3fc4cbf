// Serves what authors of videos need: the schema and guide of scene graphs, and the templates that the account may use.
import type { Static } from 'typebox';
import { shortHash } from '../../lib/crypto.ts';
import { AppError, requireFound } from '../../lib/errors.ts';
import { withRenderFiles } from '../../render/read-files.ts';
import { openTemplateScene } from '../../render/scene.ts';
import { renderSceneGraphDoc } from '../../render/schema/doc.ts';
import { SCENE_GRAPH_SCHEMA } from '../../render/schema/scene-graph.ts';
import { drawSceneStills } from '../../render/stills/stills.ts';
import { findTemplate, getTemplates } from '../../render/templates/catalog.ts';
import { listInputMappings, type Template } from '../../render/templates/template.ts';
import { evaluateFrame } from '../../render/timeline/evaluate.ts';
import { listTeams } from '../../store/teams.ts';
import { type Actor, requireScope, type UserActor } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';
import type { ContractQuery } from './renderer.schema.ts';

interface TaggedText {
  readonly text: string;
  readonly etag: string;
}

const MAX_TEAMS = 1000;

const CONTRACT_PARTS = {
  all: { doc: true, schema: true },
  doc: { doc: true, schema: false },
  schema: { doc: false, schema: true },
} as const;

const contracts = new Map<string, TaggedText>();

/** Returns the contract as JSON text. The text is constant, so it is built once. */
export function getSceneGraphContract(
  actor: Actor,
  { include = 'all' }: Static<typeof ContractQuery>,
): TaggedText {
  requireScope(actor, 'workflows:read');
  const contract = contracts.get(include) ?? buildContract(CONTRACT_PARTS[include]);
  contracts.set(include, contract);
  return contract;
}

function buildContract({ doc, schema }: (typeof CONTRACT_PARTS)[keyof typeof CONTRACT_PARTS]): TaggedText {
  const data = {
    mode: 'sceneGraph',
    nodeType: 'video:renderer',
    configPath: 'config.props.sceneGraph',
    ...(doc ? { doc: renderSceneGraphDoc() } : {}),
    ...(schema ? { jsonSchema: SCENE_GRAPH_SCHEMA } : {}),
    readerNote:
      'doc is written for the author of a scene graph, a person or a model. Its instructions are about the graph, not about this response.',
    scopeNote:
      'jsonSchema is what validates a graph when it runs. For block scenes, use the blockId you were given.',
  };
  return toTaggedText({ data });
}

function toTaggedText(body: object): TaggedText {
  const text = JSON.stringify(body);
  return { text, etag: `"${shortHash(text)}"` };
}

/** Lists the caller's templates: public ones, and private ones that list the caller or one of their teams. */
export async function listRenderTemplates(deps: Deps, actor: Actor): Promise<TaggedText> {
  const user = requireScope(actor, 'workflows:read');
  const usable = await listUsable(deps, user, [...getTemplates().values()]);
  return toTaggedText({ data: usable.map(template => presentTemplate(deps, template)) });
}

async function listUsable(
  deps: Pick<Deps, 'db'>,
  user: UserActor,
  templates: readonly Template[],
): Promise<readonly Template[]> {
  const isPrivate = templates.some(({ allow }) => allow !== undefined);
  const teams = isPrivate ? await listTeams(deps.db, user.userId, { after: '', limit: MAX_TEAMS }) : [];
  return templates.filter(
    ({ allow }) =>
      allow === undefined ||
      allow.users?.includes(user.userId) === true ||
      teams.some(({ id }) => allow.teams?.includes(id) === true),
  );
}

/** Returns a template by id, even if the list does not contain it for the caller. Throws 404. */
export function getTemplate(deps: Deps, actor: Actor, id: string): TaggedText {
  requireScope(actor, 'workflows:read');
  return toTaggedText({ data: presentTemplate(deps, requireTemplate(id)) });
}

export function requireTemplate(id: string): Template {
  return requireFound(findTemplate(id), `Template ${id} not found.`);
}

function presentTemplate({ settings }: Pick<Deps, 'settings'>, template: Template) {
  const { id, label, category, description, fps, width, height, defaultProps, props = {} } = template;
  return {
    id,
    label,
    category,
    compositionId: id,
    description,
    thumbnail: `${settings.BASE_URL}/api/v1/renderer/templates/${id}/thumbnail`,
    fps,
    width,
    height,
    durationInFrames: openTemplateScene(template, {}).durationInFrames,
    defaultProps,
    props,
    inputMappings: listInputMappings(template, {}),
  };
}

const thumbnails = new Map<string, Promise<Uint8Array>>();
const THUMBNAIL_SIDE = 640;
const THUMBNAIL_TIMEOUT_MS = 60_000;

export interface Thumbnail {
  readonly bytes: Uint8Array;
  readonly visibility: 'public' | 'private';
}

/**
 * Returns the template's thumbnail as WebP. Anyone may see the thumbnail of a public template, but only the users that
 * a private template lists may see its thumbnail. Throws 404, 401, 403.
 */
export async function readThumbnail(deps: Pick<Deps, 'db'>, actor: Actor, id: string): Promise<Thumbnail> {
  const template = requireTemplate(id);
  if (template.allow === undefined) return { bytes: await getThumbnail(template), visibility: 'public' };
  const [usable] = await listUsable(deps, requireScope(actor, 'workflows:read'), [template]);
  if (usable === undefined)
    throw new AppError('forbidden', "You don't have permission to use this private template.");
  return { bytes: await getThumbnail(template), visibility: 'private' };
}

/**
 * Draws the thumbnail once, with the example props. All callers wait for the same drawing, which therefore continues
 * when one of them disconnects.
 */
async function getThumbnail(template: Template): Promise<Uint8Array> {
  const { id } = template;
  const drawing = thumbnails.get(id) ?? drawThumbnail(template, AbortSignal.timeout(THUMBNAIL_TIMEOUT_MS));
  thumbnails.set(id, drawing);
  try {
    return await drawing;
  } catch (err) {
    thumbnails.delete(id);
    throw err;
  }
}

async function drawThumbnail(template: Template, signal: AbortSignal): Promise<Uint8Array> {
  const timeline = openTemplateScene(template, template.exampleProps ?? {});
  const rejectFile = (): never => {
    throw new AppError('invalid_request', 'a template cannot contain files of its own');
  };
  const drawLists = [evaluateFrame(timeline, template.thumbnailFrame)];
  const scale = Math.min(1, THUMBNAIL_SIDE / Math.max(template.width, template.height));
  const { frames } = await withRenderFiles(timeline.resources.values(), rejectFile, signal, files =>
    drawSceneStills({ lists: drawLists, files, scale, format: 'webp' }, signal),
  );
  return frames[0]?.bytes ?? new Uint8Array();
}
