// Decodes a clip as a sequence of frames on a regular time grid, and keeps the newest frame as an image.
import type { Backend } from '../../codecs/command.ts';
import { type Clip, decodeFrames } from '../../codecs/decode.ts';
import { MIN_BMP_WIDTH } from '../../codecs/pixels/i420-bmp.ts';
import { createOpaqueMovingImage, createTransparentMovingImage, type ImageSource } from '../paint/canvas.ts';
import type { Size } from '../paint/fit-image.ts';
import { type ClipRequest, MAX_SIDE } from './clip-requests.ts';

/** Skipping at most this many frames is faster than starting another decoder. */
const MAX_SKIPPED = 24;
/** A time this close to the grid is treated as on the grid, because times in graphs are rounded. */
const GRID_TOLERANCE_SECONDS = 0.001;
/** Limits of the grid step in seconds. With a step outside of them, each frame needs a separate decoder. */
const [MIN_STEP, MAX_STEP] = [0.001, 60];
/** A frame may be enlarged by this factor before it must be decoded larger. */
const MAX_ENLARGEMENT = 1.1;
/** The extra size for a clip that has outgrown the size at which it was decoded. */
const GROWTH_MARGIN = 1.25;

export class ClipStream {
  readonly clip: Clip;
  readonly size: Size;
  readonly #start: number;
  readonly #step: number;
  /** Index of the first grid frame at or past the end of the file. All later frames equal this one. */
  readonly #lastFrame: number;
  readonly #frames: AsyncGenerator<Buffer<ArrayBuffer>>;
  readonly #endController = new AbortController();
  readonly #movingImage;
  #index = -1;
  #next: Promise<IteratorResult<Buffer<ArrayBuffer>, unknown>> | undefined;

  /** Starts the time grid at the time of the request. */
  constructor(backend: Backend, request: ClipRequest, hasGrown: boolean, signal: AbortSignal) {
    const { clip, seconds, step } = request;
    const clipDuration = clip.info.durationSeconds;
    this.clip = clip;
    this.#start = Math.min(seconds, clipDuration);
    this.#step = Math.min(MAX_STEP, Math.max(MIN_STEP, step));
    this.#lastFrame = Math.max(0, Math.ceil((clipDuration - this.#start) / this.#step - 1e-6));
    this.size = chooseDecodedSize(request, hasGrown);
    const hasAlpha = clip.info.video?.hasAlpha === true;
    const create = hasAlpha ? createTransparentMovingImage : createOpaqueMovingImage;
    this.#movingImage = create(this.size.width, this.size.height);
    this.#frames = decodeFrames(
      backend,
      clip,
      {
        startSeconds: this.#start,
        frameCount: this.#lastFrame + 1,
        fps: 1 / this.#step,
        ...this.size,
        pixels: hasAlpha ? 'rgba' : 'i420',
      },
      AbortSignal.any([signal, this.#endController.signal]),
    );
  }

  get image(): ImageSource | undefined {
    return this.#index < 0 ? undefined : this.#movingImage.image;
  }

  /** Returns whether the decoded frames are large enough for the request. */
  isLargeEnoughFor({ visibleSize }: ClipRequest): boolean {
    return (
      this.size.width * MAX_ENLARGEMENT >= visibleSize.width &&
      this.size.height * MAX_ENLARGEMENT >= visibleSize.height
    );
  }

  /** Returns the number of frames from the current to the requested one, or undefined if the stream cannot reach it. */
  getDistanceTo(request: ClipRequest): number | undefined {
    const index = this.#findGridIndex(request);
    if (index === undefined) return undefined;
    const distance = index - this.#index;
    return distance >= 0 && distance <= MAX_SKIPPED ? distance : undefined;
  }

  #findGridIndex({ clip, seconds }: ClipRequest): number | undefined {
    if (clip !== this.clip) return undefined;
    if (seconds >= clip.info.durationSeconds) return this.#lastFrame;
    const index = Math.round((seconds - this.#start) / this.#step);
    const isOnGrid = Math.abs(this.#start + index * this.#step - seconds) <= GRID_TOLERANCE_SECONDS;
    return isOnGrid && index >= 0 ? index : undefined;
  }

  /** Decodes up to the requested frame and makes it the image. Throws `unreadable_media` and then leaves the image unchanged. */
  async show(request: ClipRequest): Promise<void> {
    const index = this.#findGridIndex(request) ?? 0;
    let pixels: Buffer<ArrayBuffer> | undefined;
    while (this.#index < index) {
      const { value, done } = await (this.#next ?? this.#frames.next());
      this.#next = undefined;
      if (done === true) break;
      pixels = value;
      this.#index++;
    }
    if (pixels !== undefined) await this.#movingImage.show(pixels);
    // The next frame is decoded while this one is drawn.
    if (this.#index < this.#lastFrame) this.prefetch();
  }

  /** Requests the next frame from the decoder in advance. */
  prefetch(): void {
    this.#next ??= this.#frames.next();
    this.#next.catch(() => undefined);
  }

  async end(): Promise<void> {
    this.#endController.abort();
    await this.#frames.return(undefined).catch(() => undefined);
  }
}

/**
 * Decodes as many pixels as are visible. An element that is shown slightly smaller than its layout size, as at the
 * start of an entrance, is decoded at layout size. An element that has outgrown its decoded size gets a margin.
 */
function chooseDecodedSize({ visibleSize, restingSize, clip }: ClipRequest, hasGrown: boolean): Size {
  const chooseSide = (side: keyof Size, min: number): number => {
    const [needed, resting] = [visibleSize[side], restingSize[side]];
    const isNear = needed * 2 >= resting;
    const target = isNear
      ? Math.max(needed * (hasGrown && needed > resting ? GROWTH_MARGIN : 1), resting)
      : Math.max(needed * (hasGrown ? 2 : 1), resting / 4);
    const max = Math.max(needed, Math.min(clip.info.video?.[side] ?? needed, MAX_SIDE));
    return Math.max(min, Math.ceil(Math.min(target, max) / 2) * 2);
  };
  return { width: chooseSide('width', MIN_BMP_WIDTH), height: chooseSide('height', 2) };
}
