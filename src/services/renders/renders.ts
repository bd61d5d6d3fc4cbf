// Accepts, presents and cancels renders of preview clips. Workers render them.
import { type AppError, createFieldError, requireFound } from '../../lib/errors.ts';
import { isId, newId } from '../../lib/ids.ts';
import type { Timeline } from '../../render/timeline/compile.ts';
import { requireCodec } from '../../render/video/make-video.ts';
import { enqueue } from '../../store/queue.ts';
import { cancelRender, findRender, insertRender, type RenderRow } from '../../store/renders.ts';
import { requireOpenTeam } from '../accounts/access.ts';
import { type Actor, requireScope, type UserActor } from '../accounts/actor.ts';
import { createRateLimitError } from '../accounts/rate-limits.ts';
import type { Deps } from '../deps.ts';
import { getMediaUrl } from '../media/media-record.ts';
import { presentColumns } from '../present-columns.ts';
import { openPreviewSource } from './preview-source.ts';
import type { PreviewBody, RenderedClip, RenderFailure } from './renderer.schema.ts';

/** Maximum number of unfinished renders per account. */
const MAX_UNFINISHED = 4;
const RETRY_SECONDS = 10;
const MAX_SECONDS = 600;

/** Returns whether the body requests a clip instead of stills. */
export function isClipRequest({ format, range }: PreviewBody): boolean {
  return format === 'mp4' || (format === undefined && range !== undefined);
}

/**
 * Accepts a clip for rendering. Throws `invalid_scene_graph`, 404, 403, 429 `render_busy`, and 503 `unavailable` if
 * this machine has no codec; the message names the package to install.
 */
export async function acceptRender(deps: Deps, actor: Actor, body: PreviewBody, signal: AbortSignal) {
  const user = requireScope(actor, 'workflows:execute');
  const { graph, timeline, owner } = await openPreviewSource(deps, user, body);
  const [first_frame, end_frame] = chooseRange(timeline, body);
  await requireCodec(deps.settings, signal);
  const render = {
    id: newId('render', deps.now()),
    user_id: owner.userId,
    workspace: owner.workspace,
    graph: JSON.stringify(graph),
    first_frame,
    end_frame,
    scale: body.scale ?? 1,
  };
  await deps.db.transaction(async tx => {
    if (!(await insertRender(tx, render, MAX_UNFINISHED))) throw createTooManyError(deps.now());
    await enqueue(tx, 'render', [render.id]);
  });
  deps.wakeTimers.wake('renders');
  return { data: { renderId: render.id, status: 'QUEUED' as const, urls: toUrls(deps, render.id) } };
}

function chooseRange(
  { fps, durationInFrames }: Timeline,
  { range = [0, durationInFrames], frames, timeSeconds, keep }: PreviewBody,
): readonly [number, number] {
  if (frames !== undefined) throw createFieldError('/frames', 'applies only to stills: use range for a clip');
  if (timeSeconds !== undefined)
    throw createFieldError('/timeSeconds', 'applies only to stills: use range for a clip');
  if (keep === false) throw createFieldError('/keep', 'applies only to stills: clips are always stored');
  const [from = 0, to = 0] = range;
  if (from >= to || to > durationInFrames)
    throw createFieldError(
      '/range',
      `must be [from, to) in frames, within the ${durationInFrames} of the video`,
    );
  if (to - from > MAX_SECONDS * fps)
    throw createFieldError(
      '/range',
      `must be ${MAX_SECONDS} seconds or less; run the node for the whole video`,
    );
  return [from, to];
}

function createTooManyError(nowMs: number): AppError {
  const reason = `${MAX_UNFINISHED} of your clips are waiting or being rendered. Cancel one, or wait until one has finished`;
  const reset = Math.ceil(nowMs / 1000) + RETRY_SECONDS;
  return createRateLimitError('render_busy', reason, { limit: MAX_UNFINISHED, reset }, nowMs);
}

/** Returns a render of the caller. Throws 404. */
export async function readRender(deps: Deps, actor: Actor, id: string) {
  return presentRender(deps, await requireRender(deps, requireScope(actor, 'workflows:read'), id));
}

/** Cancels a render of the caller. Does nothing if the render has ended. */
export async function stopRender(deps: Deps, actor: Actor, id: string) {
  const user = requireScope(actor, 'workflows:execute');
  await requireRender(deps, user, id);
  await cancelRender(deps.db, id);
  return presentRender(deps, await requireRender(deps, user, id));
}

/** Returns a render of the caller. Throws 404 for any other id. */
async function requireRender(deps: Deps, user: UserActor, id: string): Promise<RenderRow> {
  const row = isId('render', id) ? await findRender(deps.db, id, user.userId) : undefined;
  requireOpenTeam(user, row?.workspace ?? null);
  return requireFound(row, 'Render not found.');
}

function presentRender(deps: Deps, row: RenderRow) {
  const toUrl = (id: string | null, name: string | null): string | null =>
    id === null || name === null ? null : getMediaUrl(deps, { id, name });
  return {
    data: {
      renderId: row.id,
      status: row.status,
      progress: row.progress,
      range: [row.first_frame, row.end_frame],
      url: toUrl(row.media_id, row.media_name),
      posterUrl: toUrl(row.poster_id, row.poster_name),
      result: row.result === null ? null : (JSON.parse(row.result) as RenderedClip),
      error: row.error === null ? null : (JSON.parse(row.error) as RenderFailure),
      ...presentColumns(row, 'created_at started_at finished_at'),
      urls: toUrls(deps, row.id),
    },
  };
}

function toUrls({ settings }: Deps, id: string) {
  const self = `${settings.BASE_URL}/api/v1/render/renderer/${id}`;
  return { self, cancel: `${self}/cancel` };
}
