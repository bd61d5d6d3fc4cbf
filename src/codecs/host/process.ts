// Runs the codec host: reads one command from its arguments, runs it and exits. As with ffmpeg, pipes carry raw data.
import { createReadStream } from 'node:fs';
import { getNativeVariant } from 'node-webcodecs';
import {
  type CodecCommand,
  type EncodeCommand,
  EXIT_UNREADABLE,
  EXIT_UNSUPPORTED,
  UnsupportedCodecError,
} from '../command.ts';
import { getI420Size } from '../pixels/i420.ts';
import { writeAudio } from './audio.ts';
import { AUDIO_BLOCK_BYTES, encodeToFile } from './encode.ts';
import { writeFrames } from './frames.ts';
import { readBlocks } from './pipe.ts';

const COMMANDS = {
  check: async () => undefined,
  encode: encodePipes,
  frames: writeFrames,
  audio: writeAudio,
} as const;

function encodePipes(command: EncodeCommand): Promise<void> {
  const { width, height } = command.video ?? { width: 0, height: 0 };
  return encodeToFile(command, {
    frames: readBlocks(process.stdin, getI420Size(width, height)),
    audio: readBlocks(createReadStream('', { fd: 3 }), AUDIO_BLOCK_BYTES),
  });
}

const command = JSON.parse(process.argv[2] ?? '') as CodecCommand | { readonly kind: 'check' };
// When the parent exits, the pipe closes, and nobody needs the result. An `encode` command ends with its input.
if (command.kind !== 'encode') process.stdin.on('close', () => process.exit(1)).resume();

try {
  const variant = getNativeVariant();
  if (variant !== 'static') throw new Error(`The ${variant} variant was loaded instead of the static one.`);
  await COMMANDS[command.kind](command as never);
  process.exit(0);
} catch (err) {
  process.stderr.write(`${err instanceof Error ? err.message : err}\n`);
  if (err instanceof UnsupportedCodecError) process.exit(EXIT_UNSUPPORTED);
  process.exit(command.kind === 'encode' ? 1 : EXIT_UNREADABLE);
}
