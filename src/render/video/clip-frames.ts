// Decodes the clip frames that draw lists show, with a few decoders that advance along with the clips.
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
  /** Returns the draw list of a later frame, so that decoders can start early; undefined past the end. */
  readonly getList?: (frame: number) => DrawList | undefined;
  readonly signal: AbortSignal;
}

/** Limits for one frame. */
const MAX_CLIPS = 16;
const MAX_PIXELS = MAX_CLIPS * 1920 * 1080;
/** Number of frames for which an unused decoder is kept, because its clip may be shown again soon. */
const MAX_IDLE_FRAMES = 8;
/** A decoder starts this many frames before its clip is shown: half a second at 30 frames per second. */
const LOOKAHEAD_FRAMES = 15;

export class ClipFrames {
  readonly #resources: Resources;
  readonly #options: ClipFramesOptions & { readonly stride: number };
  readonly #hasClips: boolean;
  /** Each decoder with the number of frames for which it was unused. Negative before its first use. */
  readonly #streams = new Map<ClipStream, number>();
  readonly #failed = new Map<ClipRequest['clip'], ClipFrame>();

  constructor(resources: Resources, options: ClipFramesOptions) {
    this.#resources = resources;
    this.#options = { ...options, stride: options.stride ?? 1 };
    this.#hasClips = [...resources.values()].some(({ kind }) => kind === 'clip');
  }

  /** Decodes the frames that the list shows. Call before each paint. Rejects if aborted. */
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
    const upcomingList = getList?.(list.frame + LOOKAHEAD_FRAMES * stride);
    if (upcomingList !== undefined) this.#startAhead(upcomingList);
    await Promise.all(frames);
    await this.#endIdle(assigned);
  }

  /** Ends the decoders. */
  async end(): Promise<void> {
    const streams = [...this.#streams.keys()];
    this.#streams.clear();
    await Promise.all(streams.map(stream => stream.end()));
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
    const { width, height } = request.visibleSize;
    if (assigned.size >= MAX_CLIPS || pixels + width * height > MAX_PIXELS) return undefined;
    const hasOutgrownStream = streams.some(stream => stream.getDistanceTo(request) !== undefined);
    return this.#start(request, hasOutgrownStream, 0);
  }

  /** Starts decoders for upcoming clips that no current decoder will soon reach. */
  #startAhead(list: DrawList): void {
    for (const request of this.#listRequests(list)) {
      const willBeReached = [...this.#streams.keys()].some(
        stream => stream.isLargeEnoughFor(request) && stream.getDistanceTo(request) !== undefined,
      );
      if (willBeReached || this.#failed.has(request.clip) || this.#streams.size >= MAX_CLIPS) continue;
      this.#start(request, false, -LOOKAHEAD_FRAMES).prefetch();
    }
  }

  #start(request: ClipRequest, hasOutgrownStream: boolean, idle: number): ClipStream {
    const { backend, signal } = this.#options;
    const stream = new ClipStream(backend, request, hasOutgrownStream, signal);
    this.#streams.set(stream, idle);
    return stream;
  }

  async #endIdle(assigned: ReadonlyMap<ClipStream, ClipRequest>): Promise<void> {
    const idleStreams: ClipStream[] = [];
    for (const [stream, idle] of this.#streams) {
      const mayStayIdle =
        idle < MAX_IDLE_FRAMES && this.#streams.size <= MAX_CLIPS && !this.#failed.has(stream.clip);
      if (assigned.has(stream)) this.#streams.set(stream, 0);
      else if (mayStayIdle) this.#streams.set(stream, idle + 1);
      else {
        this.#streams.delete(stream);
        idleStreams.push(stream);
      }
    }
    await Promise.all(idleStreams.map(stream => stream.end()));
  }
}

const TOO_MANY_CLIPS: ClipFrame = {
  reason: `exceeds the limit of ${MAX_CLIPS} clips of 1920 × 1080 pixels per frame`,
};
