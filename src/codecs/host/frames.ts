// Reads frames for the codec host: demuxes with mediabunny, decodes with node-webcodecs, and selects the frames at the
// requested times.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type EncodedPacket, EncodedPacketSink, type InputVideoTrack } from 'mediabunny';
import { EncodedVideoChunk, VideoDecoder, type VideoFrame } from 'node-webcodecs';
import { FRAME_TOLERANCE_SECONDS, type FramesCommand, UnsupportedCodecError } from '../command.ts';
import { nameCodec, openInput } from '../open-input.ts';
import { type I420Frame, i420ToRgba, rgbaToI420, rotate, scale } from '../pixels/i420.ts';
import { Backpressure } from './backpressure.ts';
import { flushOutput, writeOut } from './pipe.ts';

const MAX_IN_PROGRESS = 24;
const MAX_PIXELS = 7680 * 4320;

export async function writeFrames(command: FramesCommand): Promise<void> {
  const input = openInput(command.path);
  const track = await input.getPrimaryVideoTrack();
  if (track === null) throw new Error('The file has no video.');
  const start = command.info.startSeconds + command.startSeconds;
  const getRequestedTime = (k: number): number => start + k / command.fps + FRAME_TOLERANCE_SECONDS;
  const convert = createFrameConverter(command, await track.getRotation());
  let count = 0;
  let output: Uint8Array | undefined;
  let current: DecodedFrame | undefined;
  // A frame is displayed until the next frame starts. It is written once that start is known.
  const writeUntil = async (seconds: number) => {
    while (current !== undefined && count < command.frameCount && getRequestedTime(count) < seconds) {
      output ??= convert(current);
      await writeOut(output);
      count++;
    }
  };
  const hasAlpha = command.pixels === 'rgba' && command.info.video?.hasAlpha === true;
  for await (const frame of decode(track, start, hasAlpha)) {
    await writeUntil(frame.seconds);
    if (count === command.frameCount) break;
    current = frame;
    output = undefined;
  }
  await writeUntil(Number.POSITIVE_INFINITY);
  if (count < command.frameCount) throw new Error('The file contains no frame.');
  await flushOutput();
}

interface DecodedFrame {
  readonly seconds: number;
  readonly image: I420Frame;
  /** A frame whose luma is the alpha of the image. */
  readonly alpha?: I420Frame;
}

async function* decode(
  track: InputVideoTrack,
  fromSeconds: number,
  hasAlpha: boolean,
): AsyncGenerator<DecodedFrame> {
  try {
    yield* decodePackets(track, fromSeconds, hasAlpha);
  } catch (err) {
    if (!(err instanceof PixelFormatError)) throw err;
    throw new UnsupportedCodecError(await nameCodec(track), ' with pixels other than 8-bit 4:2:0');
  }
}

async function* decodePackets(
  track: InputVideoTrack,
  fromSeconds: number,
  hasAlpha: boolean,
): AsyncGenerator<DecodedFrame> {
  const config = await readDecoderConfig(track);
  const pressure = new Backpressure();
  const frames = new FrameDecoder(config, pressure, hasAlpha);
  const sink = new EncodedPacketSink(track);
  const firstPacket = (await sink.getKeyPacket(fromSeconds)) ?? (await sink.getFirstKeyPacket());
  if (firstPacket === null) throw new Error('The file has no key frame.');
  for await (const packet of sink.packets(firstPacket)) {
    // Leading frames of an open GOP refer to earlier frames, which were not decoded.
    if (packet.timestamp < firstPacket.timestamp) continue;
    frames.decode(packet);
    await pressure.untilBelowOrStalled(MAX_IN_PROGRESS, () => frames.inProgress);
    yield* frames.drain();
  }
  await frames.flush();
  pressure.throwIfFailed();
  yield* frames.drain();
  yield* frames.drainWithoutAlpha();
}

type DecoderConfig = Parameters<VideoDecoder['configure']>[0];

/** Throws if frames are too large or the codec is not supported. */
async function readDecoderConfig(track: InputVideoTrack): Promise<DecoderConfig> {
  const config = await track.getDecoderConfig();
  if (config === null) throw new UnsupportedCodecError(await nameCodec(track));
  const { codec: name, description, codedWidth = 0, codedHeight = 0 } = config;
  if (codedWidth * codedHeight > MAX_PIXELS) throw new Error('The frame is too large.');
  const options = { codec: name, codedWidth, codedHeight, hardwareAcceleration: 'prefer-software' } as const;
  const fullConfig = description === undefined ? options : { ...options, description: toBytes(description) };
  if (!(await VideoDecoder.isConfigSupported(fullConfig)).supported)
    throw new UnsupportedCodecError(await nameCodec(track));
  return fullConfig;
}

/** Decodes packets to frames with timestamps, and with alpha if the file has it. */
class FrameDecoder {
  readonly #colors: ReturnType<typeof startDecoder>;
  /** Decodes the alpha frames, which are a separate stream in the same codec. A packet may have none. */
  readonly #alpha: ReturnType<typeof startDecoder> | undefined;
  // The decoder's output has the timestamp of the last packet that was sent. But the order is right, so output k gets the
  // k-th timestamp.
  readonly #times: number[] = [];
  readonly #withAlpha: boolean[] = [];

  constructor(config: DecoderConfig, pressure: Backpressure, hasAlpha: boolean) {
    this.#colors = startDecoder(config, pressure);
    this.#alpha = hasAlpha ? startDecoder(config, pressure) : undefined;
  }

  /** Number of packets whose frame has not been output yet. */
  get inProgress(): number {
    const { out } = this.#colors;
    return this.#times.length - Math.min(out.length, this.#alpha?.out.length ?? out.length);
  }

  decode({ type, timestamp, data, sideData }: EncodedPacket): void {
    insertSorted(this.#times, timestamp);
    const toChunk = (bytes: Uint8Array) =>
      new EncodedVideoChunk({ type, timestamp: Math.round(timestamp * 1e6), data: bytes });
    this.#colors.decoder.decode(toChunk(data));
    const { alpha } = sideData;
    this.#withAlpha.push(this.#alpha !== undefined && alpha !== undefined);
    if (alpha !== undefined) this.#alpha?.decoder.decode(toChunk(alpha));
  }

  async flush(): Promise<void> {
    await Promise.all([this.#colors.decoder.flush(), this.#alpha?.decoder.flush()]);
    // The addon reports the end of a flush separately from frames, so the last frames can arrive one poll later.
    await nextTurn();
    await nextTurn();
  }

  /** Returns the complete frames. */
  async *drain(): AsyncGenerator<DecodedFrame> {
    const { out } = this.#colors;
    const alpha = this.#alpha?.out ?? [];
    while (out.length > 0 && (this.#withAlpha[0] !== true || alpha.length > 0)) {
      const image = await readFrame(out);
      const seconds = this.#times.shift();
      const alphaImage = this.#withAlpha.shift() === true ? await readFrame(alpha) : undefined;
      if (seconds !== undefined) yield { seconds, image, ...(alphaImage && { alpha: alphaImage }) };
    }
  }

  /** Ends the stream. Returns the remaining frames, opaque if their alpha never arrived. */
  drainWithoutAlpha(): AsyncGenerator<DecodedFrame> {
    this.#withAlpha.fill(false);
    return this.drain();
  }
}

/** Returns a decoder with a list that collects its output. */
function startDecoder(config: DecoderConfig, pressure: Backpressure) {
  const out: VideoFrame[] = [];
  const decoder = new VideoDecoder({
    error: err => pressure.fail(err),
    output: frame => {
      out.push(frame);
      pressure.progress();
    },
  });
  decoder.configure(config);
  return { decoder, out };
}

function insertSorted(times: number[], time: number): void {
  let index = times.length;
  while (index > 0 && (times[index - 1] as number) > time) index--;
  times.splice(index, 0, time);
}

function toBytes(source: ArrayBufferLike | ArrayBufferView): Uint8Array<ArrayBuffer> {
  return ArrayBuffer.isView(source)
    ? Uint8Array.from(new Uint8Array(source.buffer, source.byteOffset, source.byteLength))
    : Uint8Array.from(new Uint8Array(source));
}

async function readFrame(out: VideoFrame[]): Promise<I420Frame> {
  const frame = out.shift() as VideoFrame;
  const image = await toI420(frame);
  frame.close();
  return image;
}

/** Thrown for frames of other pixels than the ones that are supported. */
class PixelFormatError extends Error {}

async function toI420(frame: VideoFrame): Promise<I420Frame> {
  const { format, codedWidth, codedHeight } = frame;
  if (format !== 'I420') throw new PixelFormatError();
  const data = new Uint8Array(frame.allocationSize());
  // The addon reports I420 also for frames of more than 8 bits and of RGB, which it cannot copy.
  await frame.copyTo(data).catch((cause: unknown) => {
    throw new PixelFormatError('The frame cannot be copied.', { cause });
  });
  return toEvenSides({ width: codedWidth, height: codedHeight, data });
}

/** Drops the last column or row of an odd size, which decoders round up. */
function toEvenSides(image: I420Frame): I420Frame {
  const { width, height, data } = image;
  if (width % 2 === 0 && height % 2 === 0) return image;
  const [evenWidth, evenHeight] = [width & ~1, height & ~1];
  const half = Math.ceil(width / 2);
  const out = new Uint8Array((evenWidth * evenHeight * 3) / 2);
  const chroma = { stride: half, columns: evenWidth / 2, rows: evenHeight / 2 };
  const planes = [
    { from: 0, stride: width, columns: evenWidth, rows: evenHeight },
    { ...chroma, from: width * height },
    { ...chroma, from: width * height + half * Math.ceil(height / 2) },
  ];
  let offset = 0;
  for (const { from, stride, columns, rows } of planes) {
    for (let y = 0; y < rows; y++, offset += columns) {
      out.set(data.subarray(from + y * stride, from + y * stride + columns), offset);
    }
  }
  return { width: evenWidth, height: evenHeight, data: out };
}

/** Returns a function that converts a decoded frame to the requested bytes: upright, scaled, in BT.709. */
function createFrameConverter(
  { info, width, height, pixels }: FramesCommand,
  rotation: 0 | 90 | 180 | 270,
): (frame: DecodedFrame) => Uint8Array {
  const colors = { matrix: info.video?.matrix ?? 'bt709', fullRange: info.video?.fullRange ?? false };
  const isLimitedBt709 = colors.matrix === 'bt709' && !colors.fullRange;
  return ({ image, alpha }) => {
    const scaled = scale(rotate(image, rotation), width, height);
    if (pixels === 'i420' && isLimitedBt709) return scaled.data;
    const rgba = i420ToRgba(scaled, colors);
    if (pixels === 'rgba') {
      const mask = alpha && scale(rotate(alpha, rotation), width, height).data;
      if (mask !== undefined)
        for (let pixel = 0; pixel < width * height; pixel++) rgba[pixel * 4 + 3] = mask[pixel] as number;
      return rgba;
    }
    const out = new Uint8Array(scaled.data.length);
    rgbaToI420(rgba, width, height, out);
    return out;
  };
}
