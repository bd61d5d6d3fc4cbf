// Runs the codec host: reads one command from its arguments, runs it and exits. Raw data goes over its pipes, as with
// ffmpeg.
import { createReadStream } from 'node:fs';
import { getNativeVariant } from 'node-webcodecs';
import { type CodecCommand, type EncodeCommand, EXIT_UNREADABLE } from '../command.ts';
import { i420Size } from '../pixels/i420.ts';
import { writeAudio } from './audio.ts';
import { AUDIO_BLOCK_BYTES, encodeToFile } from './encode.ts';
import { HostError } from './error.ts';
import { writeFrames } from './frames.ts';
import { readBlocks } from './pipe.ts';

const WORK = {
  check: async () => undefined,
  encode: encodePipes,
  frames: writeFrames,
  audio: writeAudio,
} as const;

function encodePipes(command: EncodeCommand): Promise<void> {
  const { width, height } = command.video ?? { width: 0, height: 0 };
  return encodeToFile(command, {
    frames: readBlocks(process.stdin, i420Size(width, height)),
    audio: readBlocks(createReadStream('', { fd: 3 }), AUDIO_BLOCK_BYTES),
  });
}

const command = JSON.parse(process.argv[2] ?? '') as CodecCommand | { readonly kind: 'check' };
// The parent has the other end of the pipe: when it closes, the parent has exited and nobody needs the result. An
// `encode` command sees it as the end of its input.
if (command.kind !== 'encode') process.stdin.on('close', () => process.exit(1)).resume();

try {
  const variant = getNativeVariant();
  if (variant !== 'static') throw new Error(`The ${variant} variant was loaded instead of the static one.`);
  await WORK[command.kind](command as never);
  process.exit(0);
} catch (err) {
  process.stderr.write(`${err instanceof Error ? err.message : err}\n`);
  process.exit(err instanceof HostError ? err.exitCode : command.kind === 'encode' ? 1 : EXIT_UNREADABLE);
}
