// Decodes one clip as a sequence of frames on a regular time grid, keeping the newest as a picture.
import { type Clip, decodeFrames } from '../../codecs/decode.ts';
import type { Backend } from '../../codecs/job.ts';
import { MIN_BMP_WIDTH } from '../../codecs/pixels/i420-bmp.ts';
import { createOpaqueMovingImage, createTransparentMovingImage, type ImageSource } from '../paint/canvas.ts';
import type { Size } from '../paint/fit-image.ts';
import { type ClipWant, MAX_SIDE } from './clip-wants.ts';

/** Skipping up to this many frames is faster than starting another decoder. */
const MAX_SKIPPED = 24;
/** Tolerance around the grid, since times in graphs are rounded. */
const OFF_GRID_SECONDS = 0.001;
/** Limits of the grid step: outside of them, each frame takes a decoder of its own. */
const [MIN_STEP, MAX_STEP] = [0.001, 60];
/** A frame may be drawn enlarged by this factor before it must be decoded larger. */
const STRETCH = 1.1;
/** Margin for growth after a clip has outgrown its decoded size. */
const ROOM = 1.25;

export class ClipStream {
  readonly clip: Clip;
  readonly size: Size;
  readonly #start: number;
  readonly #step: number;
  /** Index of the first grid frame at or past the end of the file: all later ones are equal. */
  readonly #last: number;
  readonly #frames: AsyncGenerator<Buffer<ArrayBuffer>>;
  readonly #ending = new AbortController();
  readonly #shown;
  #index = -1;
  #next: Promise<IteratorResult<Buffer<ArrayBuffer>, unknown>> | undefined;

  /** Starts at the wanted moment. */
  constructor(backend: Backend, want: ClipWant, grows: boolean, signal: AbortSignal) {
    const { clip, seconds, step } = want;
    const end = clip.facts.durationSeconds;
    this.clip = clip;
    this.#start = Math.min(seconds, end);
    this.#step = Math.min(MAX_STEP, Math.max(MIN_STEP, step));
    this.#last = Math.max(0, Math.ceil((end - this.#start) / this.#step - 1e-6));
    this.size = sizeFor(want, grows);
    const hasAlpha = clip.facts.video?.hasAlpha === true;
    const create = hasAlpha ? createTransparentMovingImage : createOpaqueMovingImage;
    this.#shown = create(this.size.width, this.size.height);
    this.#frames = decodeFrames(
      backend,
      clip,
      {
        startSeconds: this.#start,
        frameCount: this.#last + 1,
        fps: 1 / this.#step,
        ...this.size,
        pixels: hasAlpha ? 'rgba' : 'i420',
      },
      AbortSignal.any([signal, this.#ending.signal]),
    );
  }

  get image(): ImageSource | undefined {
    return this.#index < 0 ? undefined : this.#shown.image;
  }

  /** Whether it was decoded large enough. */
  isLargeFor({ need }: ClipWant): boolean {
    return this.size.width * STRETCH >= need.width && this.size.height * STRETCH >= need.height;
  }

  /** Frames from the current to the wanted one; undefined if it is not reachable. */
  distanceTo(want: ClipWant): number | undefined {
    const index = this.#indexOf(want);
    if (index === undefined) return undefined;
    const distance = index - this.#index;
    return distance >= 0 && distance <= MAX_SKIPPED ? distance : undefined;
  }

  #indexOf({ clip, seconds }: ClipWant): number | undefined {
    if (clip !== this.clip) return undefined;
    if (seconds >= clip.facts.durationSeconds) return this.#last;
    const index = Math.round((seconds - this.#start) / this.#step);
    const isOn = Math.abs(this.#start + index * this.#step - seconds) <= OFF_GRID_SECONDS;
    return isOn && index >= 0 ? index : undefined;
  }

  /** Puts the wanted frame into `picture`. Throws `unreadable_media`; the picture then stays unchanged. */
  async show(want: ClipWant): Promise<void> {
    const index = this.#indexOf(want) ?? 0;
    let pixels: Buffer<ArrayBuffer> | undefined;
    while (this.#index < index) {
      const { value, done } = await (this.#next ?? this.#frames.next());
      this.#next = undefined;
      if (done === true) break;
      pixels = value;
      this.#index++;
    }
    if (pixels !== undefined) await this.#shown.show(pixels);
    // Decoded while this one is drawn.
    if (this.#index < this.#last) this.fetch();
  }

  /** Requests the next frame from the decoder in advance. */
  fetch(): void {
    this.#next ??= this.#frames.next();
    this.#next.catch(() => undefined);
  }

  async end(): Promise<void> {
    this.#ending.abort();
    await this.#frames.return(undefined).catch(() => undefined);
  }
}

/**
 * Decodes as many pixels as are visible. An element that is shown slightly smaller than its layout size, as at the
 * start of an entrance, is decoded at layout size; one that outgrew its size gets a margin.
 */
function sizeFor({ need, rest, clip }: ClipWant, grows: boolean): Size {
  const side = (of: keyof Size, least: number): number => {
    const [seen, still] = [need[of], rest[of]];
    const isNear = seen * 2 >= still;
    const wanted = isNear
      ? Math.max(seen * (grows && seen > still ? ROOM : 1), still)
      : Math.max(seen * (grows ? 2 : 1), still / 4);
    const most = Math.max(seen, Math.min(clip.facts.video?.[of] ?? seen, MAX_SIDE));
    return Math.max(least, Math.ceil(Math.min(wanted, most) / 2) * 2);
  };
  return { width: side('width', MIN_BMP_WIDTH), height: side('height', 2) };
}
