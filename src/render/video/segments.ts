// Splits a video into segments and names each by its content, so that finished segments are reused.
import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { ResourceFile, ResourceFiles } from '../stills/still.ts';
import type { Timeline } from '../timeline/compile.ts';
import { listUsedFiles } from '../timeline/draw-list.ts';
import { evaluateFrame } from '../timeline/evaluate.ts';

export type FrameRange = readonly [from: number, to: number];

/** Segments are long enough to encode efficiently, and short enough to lose little when a render fails. */
const [MIN_SECONDS, MAX_SECONDS] = [2, 8] as const;

/** Splits at scene boundaries, so that a changed scene does not affect the other segments. */
export function splitIntoRanges({ scenes, fps }: Timeline, [from, to]: FrameRange): readonly FrameRange[] {
  const [minFrames, maxFrames] = [MIN_SECONDS * fps, MAX_SECONDS * fps];
  const cuts = [from];
  for (const { start } of scenes)
    if (start - (cuts.at(-1) ?? from) >= minFrames && to - start >= minFrames) cuts.push(start);
  return cuts.flatMap((start, index) => {
    const end = cuts[index + 1] ?? to;
    const parts = Math.ceil((end - start) / maxFrames);
    const toFrame = (part: number): number => start + Math.round(((end - start) * part) / parts);
    return Array.from({ length: parts }, (_, part): FrameRange => [toFrame(part), toFrame(part + 1)]);
  });
}

/** Increase this after a change that makes the same graph give different frames or files. */
const FORMAT_VERSION = 1;
/** Number of frames evaluated before yielding to the event loop. */
const FRAMES_PER_TURN = 8;

/** Names segments by a hash of their layers, the content of their files, and the encoding. */
export class SegmentNamer {
  readonly #timeline: Timeline;
  readonly #files: ResourceFiles;
  readonly #encoding: string;
  readonly #contentHashes = new Map<string, string>();

  constructor(timeline: Timeline, files: ResourceFiles, encoding: string) {
    this.#timeline = timeline;
    this.#files = files;
    this.#encoding = encoding;
  }

  async name([from, to]: FrameRange): Promise<string> {
    const hash = createHash('sha256').update(`${FORMAT_VERSION} ${this.#encoding}`);
    const usedKeys = new Set<string>();
    for (let frame = from; frame < to; frame++) {
      const list = evaluateFrame(this.#timeline, frame);
      for (const layer of list.layers) hash.update(` ${layer.hash}`);
      hash.update('\n');
      for (const key of listUsedFiles([list])) usedKeys.add(key);
      if (frame % FRAMES_PER_TURN === 0) await new Promise(setImmediate);
    }
    for (const key of [...usedKeys].sort()) hash.update(`${key} ${await this.#hashContent(key)}\n`);
    return hash.digest('hex').slice(0, 40);
  }

  async #hashContent(key: string): Promise<string> {
    const cachedHash = this.#contentHashes.get(key);
    if (cachedHash !== undefined) return cachedHash;
    const file = this.#files.get(key);
    const hash = createHash('sha256');
    if (file !== undefined) await addContent(hash, file);
    const contentHash = hash.digest('hex');
    this.#contentHashes.set(key, contentHash);
    return contentHash;
  }
}

async function addContent(hash: Hash, file: ResourceFile): Promise<void> {
  if (file.kind === 'clip') await pipeline(createReadStream(file.path), hash, { end: false });
  else if ('bytes' in file) hash.update(file.kind).update(file.bytes);
  else hash.update(JSON.stringify(file));
}
