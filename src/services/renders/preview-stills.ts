// Draws stills of a scene while the client waits, and stores them as media unless the client only wants data URLs.
import { createFieldError } from '../../lib/errors.ts';
import { withRenderFiles } from '../../render/read-files.ts';
import { drawFrames, findUsedResources } from '../../render/stills/draw-frames.ts';
import type { Timeline } from '../../render/timeline/compile.ts';
import { type Actor, requireScope } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';
import { storeMedia } from '../media/media.ts';
import { openPreviewSource } from './preview-source.ts';
import { createSourceReader } from './render-files.ts';
import type { PreviewBody } from './renderer.schema.ts';

const FORMATS = ['png', 'jpeg', 'webp'] as const;

/** Draws the requested frames. Throws `invalid_scene_graph`, `invalid_request`, 404 and 403. */
export async function previewStills(deps: Deps, actor: Actor, body: PreviewBody, signal: AbortSignal) {
  const user = requireScope(actor, 'workflows:execute');
  const format = chooseFormat(body);
  const { timeline, owner } = await openPreviewSource(deps, user, body);
  const options = {
    frames: chooseFrames(timeline, body),
    scale: body.scale ?? 1,
    format,
    codecs: deps.settings,
  };
  const resources = findUsedResources(timeline, options.frames);
  const result = await withRenderFiles(resources, createSourceReader(deps, owner), signal, files =>
    drawFrames(timeline, files, options, signal),
  );
  const store = (file: StillFile) => storeMedia(deps, { ...owner, executionId: null }, file, signal);
  const frames = [];
  for (const { frame, bytes: source, width, height } of result.frames) {
    const file = { source, contentType: `image/${format}`, name: `frame-${frame}` };
    const url = body.keep === false ? toDataUrl(file) : (await store(file)).url;
    frames.push({ frame, url, width, height });
  }
  const warnings = [...timeline.warnings, ...result.warnings];
  return { data: { frames, fps: timeline.fps, durationInFrames: timeline.durationInFrames, warnings } };
}

interface StillFile {
  readonly source: Uint8Array;
  readonly contentType: string;
  readonly name: string;
}

function toDataUrl({ source, contentType }: StillFile): string {
  return `data:${contentType};base64,${Buffer.from(source).toString('base64')}`;
}

function chooseFormat({ format: name = 'png', range }: PreviewBody): (typeof FORMATS)[number] {
  const format = FORMATS.find(candidate => candidate === name);
  if (format === undefined) throw createFieldError('/format', `must be one of ${FORMATS.join(', ')} or mp4`);
  if (range !== undefined) throw createFieldError('/range', 'applies only to clips: set the format to mp4');
  return format;
}

function chooseFrames(
  { fps, durationInFrames }: Timeline,
  { frames, timeSeconds }: PreviewBody,
): readonly number[] {
  const lastFrame = durationInFrames - 1;
  const requestedFrames = frames ?? [
    timeSeconds === undefined ? Math.floor(lastFrame / 2) : Math.floor(timeSeconds * fps + 1e-6),
  ];
  const invalidFrame = requestedFrames.find(frame => frame > lastFrame);
  if (invalidFrame === undefined) return requestedFrames;
  throw createFieldError(
    frames === undefined ? '/timeSeconds' : '/frames',
    `must lie within the video, which has ${durationInFrames} frames: the last is ${lastFrame}, but ${invalidFrame} was requested`,
  );
}
