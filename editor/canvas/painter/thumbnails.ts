// Caches thumbnails of results for the painter (least recently used).
const MAX_PICTURES = 300;
const SMALL_PX = 256;
/** Limits parallel loads, so that thumbnails do not delay other requests. */
const MAX_LOADING = 4;

type Kept = ImageBitmap | 'loading' | 'broken';

export class ThumbnailCache {
  readonly #kept = new Map<string, Kept>();
  readonly #waiting: string[] = [];
  readonly #onLoad: () => void;
  #loading = 0;

  constructor(onLoad: () => void) {
    this.#onLoad = onLoad;
  }

  /** Returns the image if it is loaded. Otherwise loads it and then calls `onLoad`. */
  find(url: string): ImageBitmap | undefined {
    const known = this.#kept.get(url);
    if (known === undefined) {
      this.#keep(url, 'loading');
      this.#waiting.push(url);
      this.#loadNext();
    }
    return known instanceof ImageBitmap ? known : undefined;
  }

  #loadNext(): void {
    const url = this.#loading < MAX_LOADING ? this.#waiting.shift() : undefined;
    if (url === undefined) return;
    this.#loading++;
    load(url)
      .then(
        picture => this.#keep(url, picture),
        () => this.#keep(url, 'broken'),
      )
      .finally(() => {
        this.#loading--;
        this.#onLoad();
        this.#loadNext();
      });
  }

  #keep(url: string, kept: Kept): void {
    this.#kept.delete(url);
    this.#kept.set(url, kept);
    const [oldest] = this.#kept.size > MAX_PICTURES ? this.#kept.keys() : [];
    if (oldest !== undefined) this.#kept.delete(oldest);
  }
}

async function load(url: string): Promise<ImageBitmap> {
  const image = new Image();
  image.decoding = 'async';
  image.src = url;
  await image.decode();
  const scale = Math.min(1, SMALL_PX / Math.max(image.naturalWidth, image.naturalHeight, 1));
  return createImageBitmap(image, {
    resizeWidth: Math.max(1, Math.round(image.naturalWidth * scale)),
    resizeHeight: Math.max(1, Math.round(image.naturalHeight * scale)),
    resizeQuality: 'medium',
  });
}
