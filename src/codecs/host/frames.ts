// The codec host's frames: demuxed by mediabunny, decoded by node-webcodecs, resampled to the requested time grid.
import { type EncodedPacket, EncodedPacketSink, type InputVideoTrack } from 'mediabunny';
import { EncodedVideoChunk, VideoDecoder, type VideoFrame } from 'node-webcodecs';
import { FRAME_TOLERANCE_SECONDS, type FramesJob } from '../job.ts';
import { openInput } from '../open-input.ts';
import { type I420Frame, i420ToRgba, rgbaToI420, rotate, scale } from '../pixels/i420.ts';
import { Backpressure } from './backpressure.ts';
import { unsupported } from './error.ts';
import { flushOutput, writeOut } from './pipe.ts';

const MAX_IN_PROGRESS = 24;
const MAX_PIXELS = 7680 * 4320;

export async function writeFrames(job: FramesJob): Promise<void> {
  const input = openInput(job.path);
  const track = await input.getPrimaryVideoTrack();
  if (track === null) throw new Error('The file has no video.');
  const start = job.facts.startSeconds + job.startSeconds;
  const requested = (k: number): number => start + k / job.fps + FRAME_TOLERANCE_SECONDS;
  const present = createPresenter(job, await track.getRotation());
  let count = 0;
  let shown: Uint8Array | undefined;
  let last: Shown | undefined;
  // A frame is shown until the next one starts, so it is written when the next one is known.
  const showUntil = async (seconds: number) => {
    while (last !== undefined && count < job.frameCount && requested(count) < seconds) {
      shown ??= present(last);
      await writeOut(shown);
      count++;
    }
  };
  const hasAlpha = job.pixels === 'rgba' && job.facts.video?.hasAlpha === true;
  for await (const frame of decode(track, start, hasAlpha)) {
    await showUntil(frame.seconds);
    if (count === job.frameCount) break;
    last = frame;
    shown = undefined;
  }
  await showUntil(Number.POSITIVE_INFINITY);
  if (count < job.frameCount) throw new Error('The file contains no frame.');
  await flushOutput();
}

interface Shown {
  readonly seconds: number;
  readonly picture: I420Frame;
  /** Its luma is the alpha of each pixel. */
  readonly alpha?: I420Frame;
}

async function* decode(
  track: InputVideoTrack,
  fromSeconds: number,
  hasAlpha: boolean,
): AsyncGenerator<Shown> {
  const config = await decoderConfigOf(track);
  const pressure = new Backpressure();
  const frames = new DecodedFrames(config, pressure, hasAlpha);
  const sink = new EncodedPacketSink(track);
  const first = (await sink.getKeyPacket(fromSeconds)) ?? (await sink.getFirstKeyPacket());
  if (first === null) throw new Error('The file has no key frame.');
  for await (const packet of sink.packets(first)) {
    // Leading frames of an open GOP refer to frames that were not decoded.
    if (packet.timestamp < first.timestamp) continue;
    frames.decode(packet);
    await pressure.untilBelowOrStalled(MAX_IN_PROGRESS, () => frames.inProgress);
    yield* frames.drain();
  }
  await frames.flush();
  pressure.check();
  yield* frames.drain();
  yield* frames.drainUncovered();
}

type DecoderConfig = Parameters<VideoDecoder['configure']>[0];

/** Throws if frames are too large or the codec is not supported. */
async function decoderConfigOf(track: InputVideoTrack): Promise<DecoderConfig> {
  const config = await track.getDecoderConfig();
  const codec = await track.getCodec();
  if (config === null) throw unsupported(codec);
  const { codec: name, description, codedWidth = 0, codedHeight = 0 } = config;
  if (codedWidth * codedHeight > MAX_PIXELS) throw new Error('The frame is too large.');
  const options = { codec: name, codedWidth, codedHeight, hardwareAcceleration: 'prefer-software' } as const;
  const complete = description === undefined ? options : { ...options, description: toBytes(description) };
  if (!(await VideoDecoder.isConfigSupported(complete)).supported) throw unsupported(codec);
  return complete;
}

/** Decodes packets to frames with timestamps; with alpha, each is merged with its alpha frame. */
class DecodedFrames {
  readonly #colors: ReturnType<typeof startDecoder>;
  /** A separate stream in the same codec: one alpha frame for each packet that has one. */
  readonly #alpha: ReturnType<typeof startDecoder> | undefined;
  // Decoded frames carry the timestamp of the packet that was fed last. Their order is right, so output k is the k-th
  // timestamp.
  readonly #times: number[] = [];
  readonly #withAlpha: boolean[] = [];

  constructor(config: DecoderConfig, pressure: Backpressure, hasAlpha: boolean) {
    this.#colors = startDecoder(config, pressure);
    this.#alpha = hasAlpha ? startDecoder(config, pressure) : undefined;
  }

  /** Packets whose frame has not been output yet. */
  get inProgress(): number {
    const { out } = this.#colors;
    return this.#times.length - Math.min(out.length, this.#alpha?.out.length ?? out.length);
  }

  decode({ type, timestamp, data, sideData }: EncodedPacket): void {
    insertSorted(this.#times, timestamp);
    const chunkOf = (bytes: Uint8Array) =>
      new EncodedVideoChunk({ type, timestamp: Math.round(timestamp * 1e6), data: bytes });
    this.#colors.decoder.decode(chunkOf(data));
    const { alpha } = sideData;
    this.#withAlpha.push(this.#alpha !== undefined && alpha !== undefined);
    if (alpha !== undefined) this.#alpha?.decoder.decode(chunkOf(alpha));
  }

  async flush(): Promise<void> {
    await Promise.all([this.#colors.decoder.flush(), this.#alpha?.decoder.flush()]);
  }

  /** Returns the complete frames. */
  async *drain(): AsyncGenerator<Shown> {
    const { out } = this.#colors;
    const alpha = this.#alpha?.out ?? [];
    while (out.length > 0 && (this.#withAlpha[0] !== true || alpha.length > 0)) {
      const picture = await takePicture(out);
      const seconds = this.#times.shift();
      const cover = this.#withAlpha.shift() === true ? await takePicture(alpha) : undefined;
      if (seconds !== undefined) yield { seconds, picture, ...(cover && { alpha: cover }) };
    }
  }

  /** At the end: the frames whose alpha never arrived. */
  drainUncovered(): AsyncGenerator<Shown> {
    this.#withAlpha.fill(false);
    return this.drain();
  }
}

/** A decoder with its pending output. */
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
  let at = times.length;
  while (at > 0 && (times[at - 1] as number) > time) at--;
  times.splice(at, 0, time);
}

function toBytes(source: ArrayBufferLike | ArrayBufferView): Uint8Array<ArrayBuffer> {
  return ArrayBuffer.isView(source)
    ? Uint8Array.from(new Uint8Array(source.buffer, source.byteOffset, source.byteLength))
    : Uint8Array.from(new Uint8Array(source));
}

async function takePicture(out: VideoFrame[]): Promise<I420Frame> {
  const frame = out.shift() as VideoFrame;
  const picture = await toPicture(frame);
  frame.close();
  return picture;
}

async function toPicture(frame: VideoFrame): Promise<I420Frame> {
  const { format, codedWidth, codedHeight } = frame;
  if (format !== 'I420') throw unsupported(`with pixels as ${format}`);
  const data = new Uint8Array(frame.allocationSize());
  await frame.copyTo(data);
  return evenSides({ width: codedWidth, height: codedHeight, data });
}

/** Decoders round odd plane sizes up; the last column or row is dropped. */
function evenSides(picture: I420Frame): I420Frame {
  const { width, height, data } = picture;
  if (width % 2 === 0 && height % 2 === 0) return picture;
  const [evenWidth, evenHeight] = [width & ~1, height & ~1];
  const half = Math.ceil(width / 2);
  const out = new Uint8Array((evenWidth * evenHeight * 3) / 2);
  const chroma = { stride: half, columns: evenWidth / 2, rows: evenHeight / 2 };
  const planes = [
    { from: 0, stride: width, columns: evenWidth, rows: evenHeight },
    { ...chroma, from: width * height },
    { ...chroma, from: width * height + half * Math.ceil(height / 2) },
  ];
  let at = 0;
  for (const { from, stride, columns, rows } of planes) {
    for (let y = 0; y < rows; y++, at += columns) {
      out.set(data.subarray(from + y * stride, from + y * stride + columns), at);
    }
  }
  return { width: evenWidth, height: evenHeight, data: out };
}

/** Converts a decoded frame to the requested bytes: rotated upright, scaled, in BT.709. */
function createPresenter(
  { facts, width, height, pixels }: FramesJob,
  rotation: 0 | 90 | 180 | 270,
): (shown: Shown) => Uint8Array {
  const colors = { matrix: facts.video?.matrix ?? 'bt709', fullRange: facts.video?.fullRange ?? false };
  const isPlain = colors.matrix === 'bt709' && !colors.fullRange;
  return ({ picture, alpha }) => {
    const sized = scale(rotate(picture, rotation), width, height);
    if (pixels === 'i420' && isPlain) return sized.data;
    const rgba = i420ToRgba(sized, colors);
    if (pixels === 'rgba') {
      const cover = alpha && scale(rotate(alpha, rotation), width, height).data;
      if (cover !== undefined)
        for (let at = 0; at < width * height; at++) rgba[at * 4 + 3] = cover[at] as number;
      return rgba;
    }
    const out = new Uint8Array(sized.data.length);
    rgbaToI420(rgba, width, height, out);
    return out;
  };
}
