// Declares the I/O that a render needs from its caller: reading source files, and storing finished segments of a video.

export interface ReadBounds {
  /** A larger file is refused, before the download if its size is known. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

export interface SourceBytes {
  /** In memory, or as a stream of chunks. */
  readonly body: Uint8Array | AsyncIterable<Uint8Array>;
  /** The declared content type. */
  readonly declaredContentType: string | undefined;
}

/** Opens a file by URL or media id. The service and the command line each provide a reader. Throws an AppError. */
export type ReadSource = (
  source: { readonly src: string } | { readonly mediaId: string },
  bounds: ReadBounds,
) => Promise<SourceBytes>;

/** Stores finished segments of a video beyond the lifetime of this process. A lost segment is rendered again. */
export interface SegmentStore {
  /** Copies the stored segments into the folder. */
  restore(folder: string, signal: AbortSignal): Promise<void>;
  /** Stores the file under its name, in the background. */
  store(path: string): void;
}
