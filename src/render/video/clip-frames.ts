// Provides frames of video files for draw lists, with a few decoders that advance with the clips that they decode.
import type { Backend } from '../../codecs/command.ts';
import { AppError, toError } from '../../lib/errors.ts';
import type { ClipFrame, Resources } from '../paint/resources.ts';
import type { DrawList } from '../timeline/draw-list.ts';
import { type ClipRequest, listClipRequests } from './clip-requests.ts';
import { ClipStream } from './clip-stream.ts';

export interface ClipFramesOptions {
  readonly backend: Backend;
  /** The painter's scale. */
  readonly scale: number;
  /** Frames of the video between two calls of `prepare`. Default 1. */
  readonly stride?: number;
  /** Looks ahead, so that decoders are started before they are needed; undefined past the end. */
  readonly getList?: (frame: number) => DrawList | undefined;
  readonly signal: AbortSignal;
}

/** Limit for one frame. */
const MAX_CLIPS = 16;
const MAX_PIXELS = MAX_CLIPS * 1920 * 1080;
/** Number of frames for which an unused decoder is kept, because its clip may be shown again soon. */
const MAX_IDLE = 8;
/** How many calls of `prepare` before a clip is shown its decoder starts: half a second at 30 frames per second. */
const AHEAD = 15;

/** Decodes the frames of the clips among the resources. */
export class ClipFrames {
  readonly #resources: Resources;
  readonly #options: ClipFramesOptions & { readonly stride: number };
  readonly #hasClips: boolean;
  /** Decoders with the number of frames for which each was not needed; below 0 before it is first needed. */
  readonly #streams = new Map<ClipStream, number>();
  readonly #failed = new Map<ClipRequest['clip'], ClipFrame>();

  constructor(resources: Resources, options: ClipFramesOptions) {
    this.#resources = resources;
    this.#options = { ...options, stride: options.stride ?? 1 };
    this.#hasClips = [...resources.values()].some(({ kind }) => kind === 'clip');
  }

  /** Decodes what the list shows, for the painter to use. Call before each paint. Rejects if aborted. */
  async prepare(list: DrawList): Promise<void> {
    if (!this.#hasClips) return;
    const { stride, getList } = this.#options;
    const assigned = new Map<ClipStream, ClipRequest>();
    const framesByStream = new Map<ClipStream, Promise<ClipFrame>>();
    const frames = this.#listRequests(list).map(async (request): Promise<void> => {
      const { frames: framesByContent, content, clip } = request;
      const failure = this.#failed.get(clip);
      if (failure !== undefined) return void framesByContent.set(content, failure);
      const stream = this.#findOrStartStream(request, assigned);
      if (stream === undefined) return void framesByContent.set(content, TOO_MANY_CLIPS);
      assigned.set(stream, request);
      const frame = framesByStream.get(stream) ?? this.#decodeFrame(request, stream);
      framesByStream.set(stream, frame);
      framesByContent.set(content, await frame);
    });
    const upcomingList = getList?.(list.frame + AHEAD * stride);
    if (upcomingList !== undefined) this.#startAhead(upcomingList);
    await Promise.all(frames);
    await this.#endIdle(assigned);
  }

  /** Ends the decoders. */
  async end(): Promise<void> {
    const ending = [...this.#streams.keys()].map(stream => stream.end());
    this.#streams.clear();
    await Promise.all(ending);
  }

  #listRequests(list: DrawList): readonly ClipRequest[] {
    const { scale, stride } = this.#options;
    return listClipRequests(list, this.#resources, { scale, stride });
  }

  async #decodeFrame(request: ClipRequest, stream: ClipStream): Promise<ClipFrame> {
    try {
      await stream.show(request);
    } catch (err) {
      this.#options.signal.throwIfAborted();
      if (!(err instanceof AppError)) throw err;
      const reason = `cannot be shown: ${toError(err).message.replace(/\.$/, '')}`;
      const { image } = stream;
      this.#failed.set(request.clip, image === undefined ? { reason } : { image, reason });
    }
    const { image } = stream;
    return this.#failed.get(request.clip) ?? (image === undefined ? {} : { image });
  }

  /** Returns the stream that reaches the frame soonest, or a new one; undefined if there are too many. */
  #findOrStartStream(
    request: ClipRequest,
    assigned: ReadonlyMap<ClipStream, ClipRequest>,
  ): ClipStream | undefined {
    const streams = [...this.#streams.keys()];
    const nearby = streams
      .filter(
        stream =>
          stream.isLargeEnoughFor(request) && (assigned.get(stream) ?? request).seconds === request.seconds,
      )
      .map(stream => ({ stream, distance: stream.getDistanceTo(request) ?? Number.POSITIVE_INFINITY }))
      .sort((a, b) => a.distance - b.distance)[0];
    if (nearby !== undefined && nearby.distance < Number.POSITIVE_INFINITY) return nearby.stream;
    const pixels = [...assigned.keys()].reduce((sum, { size }) => sum + size.width * size.height, 0);
    const isTooMuch = pixels + request.visibleSize.width * request.visibleSize.height > MAX_PIXELS;
    if (assigned.size >= MAX_CLIPS || isTooMuch) return undefined;
    const hasGrown = streams.some(stream => stream.getDistanceTo(request) !== undefined);
    return this.#start(request, hasGrown, 0);
  }

  /** Starts decoders for upcoming clips that no current decoder will soon reach. */
  #startAhead(list: DrawList): void {
    for (const request of this.#listRequests(list)) {
      const isComing = [...this.#streams.keys()].some(
        stream => stream.isLargeEnoughFor(request) && stream.getDistanceTo(request) !== undefined,
      );
      if (isComing || this.#failed.has(request.clip) || this.#streams.size >= MAX_CLIPS) continue;
      this.#start(request, false, -AHEAD).fetch();
    }
  }

  #start(request: ClipRequest, hasGrown: boolean, idle: number): ClipStream {
    const { backend, signal } = this.#options;
    const stream = new ClipStream(backend, request, hasGrown, signal);
    this.#streams.set(stream, idle);
    return stream;
  }

  async #endIdle(assigned: ReadonlyMap<ClipStream, ClipRequest>): Promise<void> {
    const ending: Promise<void>[] = [];
    for (const [stream, idle] of this.#streams) {
      const isKept = idle < MAX_IDLE && this.#streams.size <= MAX_CLIPS && !this.#failed.has(stream.clip);
      if (assigned.has(stream)) this.#streams.set(stream, 0);
      else if (isKept) this.#streams.set(stream, idle + 1);
      else {
        this.#streams.delete(stream);
        ending.push(stream.end());
      }
    }
    await Promise.all(ending);
  }
}

const TOO_MANY_CLIPS: ClipFrame = {
  reason: `exceeds the limit of ${MAX_CLIPS} clips of 1920 × 1080 pixels per frame`,
};
