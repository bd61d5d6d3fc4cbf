// The frames of video files for draw lists: a few decoders at once, each going forward with the clip that it shows.
import type { Backend } from '../../codecs/job.ts';
import { AppError, toError } from '../../lib/errors.ts';
import type { Resources, ShownFrame } from '../paint/resources.ts';
import type { DrawList } from '../timeline/draw-list.ts';
import { ClipStream } from './clip-stream.ts';
import { type ClipWant, clipWants } from './clip-wants.ts';

export interface ClipFrames {
  /** Decodes what the list shows, for the painter to find; to be called before each paint. Rejects where aborted. */
  prepare(list: DrawList): Promise<void>;
  /** Ends the decoders. */
  end(): Promise<void>;
}

export interface ClipFramesOptions {
  readonly backend: Backend;
  /** As the painter has it. */
  readonly scale: number;
  /** Frames of the video from one call of `prepare` to the next. Default 1. */
  readonly stride?: number;
  /** What is to come, so that decoders are started before they are needed; undefined behind the end. */
  readonly listAt?: (frame: number) => DrawList | undefined;
  readonly signal: AbortSignal;
}

/** In one frame. */
const MAX_CLIPS = 16;
const MAX_PIXELS = MAX_CLIPS * 1920 * 1080;
/** Frames for which a decoder that nobody needs is kept: what it shows may be back at once. */
const MAX_IDLE = 8;
/** Calls of `prepare` before a clip is shown, at which its decoder is started: half a second at 30 frames a second. */
const AHEAD = 15;

/** The frames of the clips among the resources. */
export function createClipFrames(
  resources: Resources,
  { backend, scale, stride = 1, listAt, signal }: ClipFramesOptions,
): ClipFrames {
  const hasClips = [...resources.values()].some(({ kind }) => kind === 'clip');
  /** With the number of frames for which each was not needed; below 0 before it is. */
  const streams = new Map<ClipStream, number>();
  const failed = new Map<ClipWant['clip'], ShownFrame>();

  const frameOf = async (want: ClipWant, stream: ClipStream): Promise<ShownFrame> => {
    try {
      await stream.show(want);
    } catch (err) {
      signal.throwIfAborted();
      if (!(err instanceof AppError)) throw err;
      const reason = `cannot be shown: ${toError(err).message.replace(/\.$/, '')}`;
      const { picture } = stream;
      failed.set(want.clip, picture === undefined ? { reason } : { picture, reason });
    }
    const { picture } = stream;
    return failed.get(want.clip) ?? (picture === undefined ? {} : { picture });
  };

  /** The stream that is there soonest, or a new one; undefined where there are too many. */
  const streamFor = (want: ClipWant, taken: ReadonlyMap<ClipStream, ClipWant>): ClipStream | undefined => {
    const near = [...streams.keys()]
      .filter(stream => stream.isLargeFor(want) && (taken.get(stream) ?? want).seconds === want.seconds)
      .map(stream => ({ stream, distance: stream.distanceTo(want) ?? Number.POSITIVE_INFINITY }))
      .sort((a, b) => a.distance - b.distance)[0];
    if (near !== undefined && near.distance < Number.POSITIVE_INFINITY) return near.stream;
    const pixels = [...taken.keys()].reduce((sum, { size }) => sum + size.width * size.height, 0);
    if (taken.size >= MAX_CLIPS || pixels + want.need.width * want.need.height > MAX_PIXELS) return undefined;
    const grows = [...streams.keys()].some(stream => stream.distanceTo(want) !== undefined);
    const stream = new ClipStream(backend, want, grows, signal);
    streams.set(stream, 0);
    return stream;
  };

  /** Starts what no decoder will soon come to. */
  const startAhead = (list: DrawList): void => {
    for (const want of clipWants(list, resources, { scale, stride })) {
      const isComing = [...streams.keys()].some(
        stream => stream.isLargeFor(want) && stream.distanceTo(want) !== undefined,
      );
      if (isComing || failed.has(want.clip) || streams.size >= MAX_CLIPS) continue;
      const stream = new ClipStream(backend, want, false, signal);
      streams.set(stream, -AHEAD);
      stream.fetch();
    }
  };

  const endIdle = (taken: ReadonlyMap<ClipStream, ClipWant>): Promise<unknown> => {
    const ending: Promise<void>[] = [];
    for (const [stream, idle] of streams) {
      if (taken.has(stream)) streams.set(stream, 0);
      else if (idle < MAX_IDLE && streams.size <= MAX_CLIPS && !failed.has(stream.clip))
        streams.set(stream, idle + 1);
      else {
        streams.delete(stream);
        ending.push(stream.end());
      }
    }
    return Promise.all(ending);
  };

  return {
    async prepare(list) {
      if (!hasClips) return;
      const taken = new Map<ClipStream, ClipWant>();
      const shown = new Map<ClipStream, Promise<ShownFrame>>();
      const frames = clipWants(list, resources, { scale, stride }).map(async (want): Promise<void> => {
        const { shown: frameFor, content, clip } = want;
        const failure = failed.get(clip);
        if (failure !== undefined) return void frameFor.set(content, failure);
        const stream = streamFor(want, taken);
        if (stream === undefined) return void frameFor.set(content, TOO_MANY);
        taken.set(stream, want);
        const frame = shown.get(stream) ?? frameOf(want, stream);
        shown.set(stream, frame);
        frameFor.set(content, await frame);
      });
      const coming = listAt?.(list.frame + AHEAD * stride);
      if (coming !== undefined) startAhead(coming);
      await Promise.all(frames);
      await endIdle(taken);
    },
    async end() {
      const ending = [...streams.keys()].map(stream => stream.end());
      streams.clear();
      await Promise.all(ending);
    },
  };
}

const TOO_MANY: ShownFrame = {
  reason: `is one clip too many: at most ${MAX_CLIPS} of 1920 × 1080 pixels are decoded at once`,
};
