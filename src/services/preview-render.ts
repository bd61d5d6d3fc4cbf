// Stills of a scene graph, a template, or the renderer node of a workflow, drawn at once and kept as media.
import type { GraphNode } from '../graph/types.ts';
import { AppError } from '../lib/errors.ts';
import { withRenderFiles } from '../render/files.ts';
import { openScene, openTemplate } from '../render/scene.ts';
import { drawSceneStills } from '../render/stills.ts';
import type { Timeline } from '../render/timeline/compile.ts';
import type { DrawList, DrawNode } from '../render/timeline/draw-list.ts';
import { evaluateFrame } from '../render/timeline/evaluate.ts';
import { authorize, userWorkspace, workspaceOf } from './access.ts';
import { type Actor, requireScope, type UserActor } from './actor.ts';
import type { Deps } from './deps.ts';
import { mediaUrl } from './media-record.ts';
import { openForReading, readableText } from './read-workflow.ts';
import { keepFile, receiveFile } from './receive-file.ts';
import { type RenderOwner, serviceReader } from './render-files.ts';
import type { PreviewBody } from './renderer.schema.ts';
import { requireTemplate } from './renderer-contracts.ts';

const FORMATS = ['png', 'jpeg', 'webp'] as const;
const MAX_STILL_BYTES = 67_108_864;

/** Draws the frames that are asked for. Throws `invalid_scene_graph`, 404 and 403, and 503 for a clip. */
export async function previewRender(deps: Deps, actor: Actor, body: PreviewBody, signal: AbortSignal) {
  const user = requireScope(actor, 'workflows:execute');
  const format = stillFormat(body);
  const { timeline, owner } = await openSource(deps, user, body);
  const lists = chooseFrames(timeline, body).map(frame => evaluateFrame(timeline, frame));
  const needed = resourcesOf(lists);
  const resources = [...timeline.resources.values()].filter(({ key }) => needed.has(key));
  const drawn = await withRenderFiles(resources, serviceReader(deps, owner), signal, files =>
    drawSceneStills({ lists, files, scale: body.scale ?? 1, format }, signal),
  );
  const frames = [];
  for (const { frame, bytes, width, height } of drawn.frames) {
    const url = await keepStill(deps, owner, { frame, bytes, format }, signal);
    frames.push({ frame, url, width, height });
  }
  const warnings = [...timeline.warnings, ...drawn.warnings];
  return { data: { frames, fps: timeline.fps, durationInFrames: timeline.durationInFrames, warnings } };
}

function stillFormat({ format = 'png', range }: PreviewBody): (typeof FORMATS)[number] {
  if (format === 'mp4' || range !== undefined)
    throw new AppError(
      'unavailable',
      'Clips cannot be rendered yet: this service has no video encoder. Ask for stills: format png, jpeg or webp.',
    );
  const known = FORMATS.find(name => name === format);
  if (known !== undefined) return known;
  const message = `must be one of ${FORMATS.join(', ')} or mp4`;
  throw new AppError('invalid_request', `format ${message}.`, {
    issues: [{ path: '/format', code: 'invalid_request', message }],
  });
}

interface Opened {
  readonly timeline: Timeline;
  readonly owner: RenderOwner;
}

async function openSource(deps: Deps, user: UserActor, body: PreviewBody): Promise<Opened> {
  const { sceneGraph, templateId, workflowId, nodeId, props = {} } = body;
  const given = [sceneGraph, templateId, workflowId].filter(value => value !== undefined);
  if (given.length !== 1)
    throw new AppError(
      'invalid_request',
      'Send exactly one of sceneGraph, templateId, and workflowId with nodeId.',
    );
  const owner = { userId: user.userId, workspace: userWorkspace(user.userId) };
  if (sceneGraph !== undefined) return { timeline: openScene(sceneGraph), owner };
  if (templateId !== undefined) return { timeline: openTemplate(requireTemplate(templateId), props), owner };
  return openNode(deps, user, workflowId ?? '', nodeId);
}

/** The scene of a `video:renderer` node, in the one mode that its config selects. */
async function openNode(
  deps: Deps,
  user: UserActor,
  workflowId: string,
  nodeId: string | undefined,
): Promise<Opened> {
  const view = await openForReading(deps, user, workflowId);
  authorize(user, 'run', view.workflow);
  const { nodes }: { nodes: readonly GraphNode[] } = JSON.parse(`{${await readableText(deps, view)}}`);
  const node = nodes.find(({ id, data }) => id === nodeId && data.nodeType === 'video:renderer');
  if (node === undefined)
    throw new AppError(
      'not_found',
      `The workflow has no video:renderer node ${nodeId ?? '(nodeId is missing)'}.`,
    );
  const { templateId, props } = (node.data.config ?? {}) as {
    templateId?: unknown;
    props?: Record<string, unknown>;
  };
  const owner = { userId: user.userId, workspace: workspaceOf(view.workflow) };
  if (typeof templateId === 'string')
    return { timeline: openTemplate(requireTemplate(templateId), props ?? {}), owner };
  return { timeline: openScene(props?.sceneGraph), owner };
}

function chooseFrames(
  { fps, durationInFrames }: Timeline,
  { frames, timeSeconds }: PreviewBody,
): readonly number[] {
  const last = durationInFrames - 1;
  const asked = frames ?? [
    timeSeconds === undefined ? Math.floor(last / 2) : Math.floor(timeSeconds * fps + 1e-6),
  ];
  const beyond = asked.find(frame => frame > last);
  if (beyond === undefined) return asked;
  const message = `has ${durationInFrames} frames, so ${last} is the last; ${beyond} was asked for`;
  throw new AppError('invalid_request', `The video ${message}.`, {
    issues: [{ path: frames === undefined ? '/timeSeconds' : '/frames', code: 'invalid_request', message }],
  });
}

/** Keys of the files that these frames show; the others need not be fetched. */
function resourcesOf(lists: readonly DrawList[]): ReadonlySet<string> {
  const keys = new Set<string>();
  const pending: DrawNode[] = lists.flatMap(({ layers }) => layers.map(({ node }) => node));
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    const { content, mask } = node;
    if ('resource' in content) keys.add(content.resource);
    if (content.kind === 'group') pending.push(...content.children);
    if (mask !== undefined) pending.push(mask.node);
  }
  return keys;
}

async function keepStill(
  deps: Deps,
  owner: RenderOwner,
  still: { readonly frame: number; readonly bytes: Uint8Array; readonly format: string },
  signal: AbortSignal,
): Promise<string> {
  const incoming = {
    source: still.bytes,
    declared: `image/${still.format}`,
    name: `frame-${still.frame}`,
    maxBytes: () => MAX_STILL_BYTES,
  };
  const received = await receiveFile(deps, incoming, signal);
  const row = await keepFile(deps, received, { ...owner, origin: 'output', executionId: null });
  return mediaUrl(deps, row);
}
