// The codec host: one process, one job from its command line, then exit. Raw data goes by its pipes, as with ffmpeg.
import { createReadStream } from 'node:fs';
import { getNativeVariant } from 'node-webcodecs';
import { encodeToFile, SOUND_BLOCK_BYTES } from './host-encode.ts';
import { HostError } from './host-error.ts';
import { writeFrames } from './host-frames.ts';
import { blocksOf } from './host-pipe.ts';
import { writeSound } from './host-sound.ts';
import { i420Size } from './i420.ts';
import { type EncodeJob, EXIT_UNREADABLE, type Job } from './job.ts';

const WORK = {
  check: async () => undefined,
  encode: encodePipes,
  frames: writeFrames,
  sound: writeSound,
} as const;

function encodePipes(job: EncodeJob): Promise<void> {
  const { width, height } = job.video ?? { width: 0, height: 0 };
  return encodeToFile(job, {
    frames: blocksOf(process.stdin, i420Size(width, height)),
    sound: blocksOf(createReadStream('', { fd: 3 }), SOUND_BLOCK_BYTES),
  });
}

const job = JSON.parse(process.argv[2] ?? '') as Job | { readonly kind: 'check' };
// The parent holds the pipe: where it closes, the parent is gone, and so is whoever wanted this. Jobs that take frames
// see it as the end of their input.
if (job.kind !== 'encode') process.stdin.on('close', () => process.exit(1)).resume();

try {
  const variant = getNativeVariant();
  if (variant !== 'static') throw new Error(`The ${variant} variant was loaded instead of the static one.`);
  await WORK[job.kind](job as never);
  process.exit(0);
} catch (err) {
  process.stderr.write(`${err instanceof Error ? err.message : err}\n`);
  process.exit(err instanceof HostError ? err.exitCode : job.kind === 'encode' ? 1 : EXIT_UNREADABLE);
}
