// Renders an accepted clip: claims it, renders it, reports progress, and stops if the claim is lost.
import { AppError } from '../../lib/errors.ts';
import { readFileChunks } from '../../lib/files.ts';
import { type RenderedVideo, type RenderRequest, renderWithPoster } from '../../render/video/make-video.ts';
import {
  type ClaimedRender,
  claimRender,
  finishRender,
  hasRenderEnded,
  type RenderEnd,
  saveRenderProgress,
} from '../../store/renders.ts';
import type { Deps } from '../deps.ts';
import { storeMedia } from '../media/media.ts';
import { createSourceReader } from './render-files.ts';
import type { RenderedClip, RenderFailure } from './renderer.schema.ts';
import { createSegmentStore } from './segment-store.ts';

// A render fails after this many attempts, since a render that crashes its worker would be repeated forever.
const MAX_ATTEMPTS = 5;
/** The interval of progress updates, and the maximum time that a cancelled render continues. */
const PROGRESS_INTERVAL_MS = 400;

/**
 * Renders the clip. Rejects if the result could not be stored or the process stops; another worker then continues with
 * the stored segments.
 */
export async function runRender(deps: Deps, id: string, stopping: AbortSignal): Promise<void> {
  const claimed = await claimRender(deps.db, id);
  if (claimed === undefined) return;
  const segmentStore = createSegmentStore(deps, id);
  const claimLost = new AbortController();
  const deadline = AbortSignal.timeout(deps.settings.RUN_TIMEOUT_MS);
  const claim = keepClaim(deps, claimed, () => claimLost.abort());
  try {
    if (claimed.attempt > MAX_ATTEMPTS) throw createCrashError(claimed);
    const signal = AbortSignal.any([stopping, claimLost.signal, deadline]);
    const { graph, first_frame, end_frame, scale } = claimed;
    const owner = { userId: claimed.user_id, workspace: claimed.workspace, executionId: null };
    const request: RenderRequest = {
      graph: JSON.parse(graph) as unknown,
      read: createSourceReader(deps, owner),
      scale,
      segmentStore,
      codecs: deps.settings,
      range: [first_frame, end_frame],
      onProgress: claim.report,
    };
    const end = await renderWithPoster(request, signal, video => storeVideo(deps, owner, video, signal));
    await finishRender(deps.db, claimed, end);
    await segmentStore.drop();
  } catch (err) {
    if (stopping.aborted) throw err;
    // If another worker continues the render, it needs the segments.
    if (claimLost.signal.aborted && !(await hasRenderEnded(deps.db, id))) return;
    await finishRender(deps.db, claimed, toFailedEnd(describeFailure(deps, err, deadline)));
    await segmentStore.drop();
  } finally {
    claim.stop();
  }
}

interface ClaimKeeper {
  readonly report: (progress: number) => void;
  stop(): void;
}

/** Keeps the claim and stores the progress periodically. Calls `onLost` when this worker has lost the claim. */
function keepClaim(deps: Deps, claimed: ClaimedRender, onLost: () => void): ClaimKeeper {
  let { progress } = claimed;
  let isTouching = false;
  const touch = async (): Promise<void> => {
    if (!(await saveRenderProgress(deps.db, claimed, progress))) onLost();
  };
  const timer = setInterval(() => {
    if (isTouching) return;
    isTouching = true;
    touch()
      .catch((err: unknown) => deps.log.warn({ err, renderId: claimed.id }, 'progress could not be written'))
      .finally(() => {
        isTouching = false;
      });
  }, PROGRESS_INTERVAL_MS);
  return {
    // Progress never falls below what was stored before a crash.
    report: fraction => {
      progress = Math.max(progress, fraction);
    },
    stop: () => clearInterval(timer),
  };
}

async function storeVideo(
  deps: Deps,
  owner: Parameters<typeof storeMedia>[1],
  video: RenderedVideo,
  signal: AbortSignal,
): Promise<RenderEnd> {
  const { width, height, durationSeconds: duration, fps, frameCount, backend, warnings } = video;
  const posterFile = { source: video.poster, contentType: 'image/jpeg', name: 'clip-poster' };
  const poster = await storeMedia(deps, owner, posterFile, signal);
  const file = { source: readFileChunks(video.path), contentType: 'video/mp4', name: 'clip' };
  const media = await storeMedia(deps, owner, { ...file, width, height, duration }, signal);
  const result: RenderedClip = { width, height, duration, fps, frameCount, backend, warnings: [...warnings] };
  return {
    status: 'COMPLETED',
    media_id: media.mediaId,
    poster_id: poster.mediaId,
    result: JSON.stringify(result),
    error: null,
  };
}

function createCrashError({ attempt }: ClaimedRender): AppError {
  return new AppError('codec_failed', `The worker crashed in each of the ${attempt - 1} attempts.`);
}

function toFailedEnd(error: RenderFailure): RenderEnd {
  return { status: 'FAILED', media_id: null, poster_id: null, result: null, error: JSON.stringify(error) };
}

function describeFailure(deps: Deps, err: unknown, deadline: AbortSignal): RenderFailure {
  if (deadline.aborted) return { code: 'timeout', message: 'The render exceeded its time limit.' };
  if (err instanceof AppError && err.code !== 'internal_error') {
    const { code, message, issues } = err;
    return issues === undefined ? { code, message } : { code, message, issues: [...issues] };
  }
  deps.log.error({ err }, 'a clip could not be rendered');
  return {
    code: 'internal_error',
    message: 'The render failed because of an internal error. The log of the service has the details.',
  };
}
