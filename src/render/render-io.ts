// What a render asks of its caller: the bytes of the files that a scene names, and a place for finished parts of a video.

export interface ReadBounds {
  /** One byte more is refused; a reader that knows the size beforehand says so at once. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

export interface SourceBytes {
  /** In memory, or arriving in pieces. */
  readonly body: Uint8Array | AsyncIterable<Uint8Array>;
  /** The content type it came with. */
  readonly declared: string | undefined;
}

/** Opens a file by its address or media id; service and command line have their own. Throws an AppError that says why not. */
export type ReadSource = (
  source: { readonly src: string } | { readonly mediaId: string },
  bounds: ReadBounds,
) => Promise<SourceBytes>;

/** Finished parts of a video, kept where they outlive this process. A part that is lost is only rendered again. */
export interface PartStore {
  /** Writes what is kept into the folder. */
  restore(folder: string, signal: AbortSignal): Promise<void>;
  /** Keeps the file under its name, some time soon. */
  keep(path: string): void;
}
