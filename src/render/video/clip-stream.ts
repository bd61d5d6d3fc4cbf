// One clip on its way: a decoder that gives frame after frame of a grid of moments, the last of them kept as a picture.
import { type Clip, decodeFrames } from '../../codecs/decode.ts';
import type { Backend } from '../../codecs/job.ts';
import { MIN_BMP_WIDTH } from '../../codecs/pixels/i420-bmp.ts';
import { createMovingPicture, createTransparentPicture, type Picture } from '../paint/canvas.ts';
import type { Size } from '../paint/place.ts';
import { type ClipWant, MAX_SIDE } from './clip-wants.ts';

/** Frames that are read and dropped rather than that a decoder is started anew. */
const MAX_SKIPPED = 24;
/** How far a moment may be from the grid: times in graphs are rounded. */
const OFF_GRID_SECONDS = 0.001;
/** Of the grid: beyond these, each frame takes a decoder of its own. */
const [MIN_STEP, MAX_STEP] = [0.001, 60];
/** A picture may be drawn so much larger than it was decoded. */
const STRETCH = 1.1;
/** Room for growth, where one that grew has outgrown its size. */
const ROOM = 1.25;

export class ClipStream {
  readonly clip: Clip;
  readonly size: Size;
  readonly #start: number;
  readonly #step: number;
  /** Of the first frame on the grid at or behind the end of the file: all later ones show the same. */
  readonly #last: number;
  readonly #frames: AsyncGenerator<Buffer<ArrayBuffer>>;
  readonly #ending = new AbortController();
  readonly #shown;
  #index = -1;
  #next: Promise<IteratorResult<Buffer<ArrayBuffer>, unknown>> | undefined;

  /** Begins at the moment that is wanted. */
  constructor(backend: Backend, want: ClipWant, grows: boolean, signal: AbortSignal) {
    const { clip, seconds, step } = want;
    const end = clip.facts.durationSeconds;
    this.clip = clip;
    this.#start = Math.min(seconds, end);
    this.#step = Math.min(MAX_STEP, Math.max(MIN_STEP, step));
    this.#last = Math.max(0, Math.ceil((end - this.#start) / this.#step - 1e-6));
    this.size = sizeFor(want, grows);
    const hasAlpha = clip.facts.video?.hasAlpha === true;
    const create = hasAlpha ? createTransparentPicture : createMovingPicture;
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

  get picture(): Picture | undefined {
    return this.#index < 0 ? undefined : this.#shown.picture;
  }

  /** Whether it was decoded large enough. */
  isLargeFor({ need }: ClipWant): boolean {
    return this.size.width * STRETCH >= need.width && this.size.height * STRETCH >= need.height;
  }

  /** Frames from the one it stands at to the wanted one; undefined where it does not get there. */
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

  /** Puts the wanted frame onto `picture`. AppError `unreadable_media`; the picture then stays as it was. */
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
    // It comes while this one is drawn.
    if (this.#index < this.#last) this.fetch();
  }

  /** Has the decoder give its next frame already. */
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
 * As many pixels as are seen. An element that is shown a little smaller than it stands, as at the beginning of an
 * entrance, is decoded for its place; one that outgrew its size, with room to grow on.
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
