// Loads thumbnails of results for the painter and caches the newest ones.
const MAX_THUMBNAILS = 300;
const THUMBNAIL_PX = 256;
/** Limits parallel loads, so that thumbnails do not delay other requests. */
const MAX_LOADING = 4;

type CacheEntry = ImageBitmap | 'loading' | 'broken';

export class ThumbnailCache {
  readonly #entries = new Map<string, CacheEntry>();
  readonly #queue: string[] = [];
  readonly #onLoad: () => void;
  #loading = 0;

  constructor(onLoad: () => void) {
    this.#onLoad = onLoad;
  }

  /** Returns the image if it is loaded. Otherwise loads it and then calls `onLoad`. */
  find(url: string): ImageBitmap | undefined {
    const entry = this.#entries.get(url);
    if (entry === undefined) {
      this.#store(url, 'loading');
      this.#queue.push(url);
      this.#loadNext();
    }
    return entry instanceof ImageBitmap ? entry : undefined;
  }

  #loadNext(): void {
    const url = this.#loading < MAX_LOADING ? this.#queue.shift() : undefined;
    if (url === undefined) return;
    this.#loading++;
    load(url)
      .then(
        image => this.#store(url, image),
        () => this.#store(url, 'broken'),
      )
      .finally(() => {
        this.#loading--;
        this.#onLoad();
        this.#loadNext();
      });
  }

  #store(url: string, entry: CacheEntry): void {
    this.#entries.delete(url);
    this.#entries.set(url, entry);
    const [oldest] = this.#entries.size > MAX_THUMBNAILS ? this.#entries.keys() : [];
    if (oldest !== undefined) this.#entries.delete(oldest);
  }
}

async function load(url: string): Promise<ImageBitmap> {
  const image = new Image();
  image.decoding = 'async';
  image.src = url;
  await image.decode();
  const scale = Math.min(1, THUMBNAIL_PX / Math.max(image.naturalWidth, image.naturalHeight, 1));
  return createImageBitmap(image, {
    resizeWidth: Math.max(1, Math.round(image.naturalWidth * scale)),
    resizeHeight: Math.max(1, Math.round(image.naturalHeight * scale)),
    resizeQuality: 'medium',
  });
}
