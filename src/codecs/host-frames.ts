// The codec host's frames: packets by mediabunny, decoded by node-webcodecs, put onto the grid of times that was asked for.
import { EncodedPacketSink, type InputVideoTrack } from 'mediabunny';
import { EncodedVideoChunk, VideoDecoder, type VideoFrame } from 'node-webcodecs';
import { unsupported } from './host-error.ts';
import { endOut, writeOut } from './host-pipe.ts';
import { i420ToRgba, type Picture, rgbaToI420, rotate, scale } from './i420.ts';
import { FRAME_TOLERANCE_SECONDS, type FramesJob } from './job.ts';
import { Lane } from './lane.ts';
import { openInput } from './open-input.ts';

const MAX_UNDER_WAY = 24;
const MAX_PIXELS = 7680 * 4320;

export async function writeFrames(job: FramesJob): Promise<void> {
  const input = openInput(job.path);
  const track = await input.getPrimaryVideoTrack();
  if (track === null) throw new Error('The file has no pictures.');
  const start = job.facts.startSeconds + job.startSeconds;
  const wanted = (k: number): number => start + k / job.fps + FRAME_TOLERANCE_SECONDS;
  const present = createPresenter(job, await track.getRotation());
  let count = 0;
  let shown: Uint8Array | undefined;
  let last: Shown | undefined;
  // A frame is shown until the next one's time has come, so it is written when that one is known.
  const showUntil = async (seconds: number) => {
    while (last !== undefined && count < job.frameCount && wanted(count) < seconds) {
      shown ??= present(last.picture);
      await writeOut(shown);
      count++;
    }
  };
  for await (const frame of decode(track, start)) {
    await showUntil(frame.seconds);
    if (count === job.frameCount) break;
    last = frame;
    shown = undefined;
  }
  await showUntil(Number.POSITIVE_INFINITY);
  if (count < job.frameCount) throw new Error('The file gave no picture.');
  await endOut();
}

interface Shown {
  readonly seconds: number;
  readonly picture: Picture;
}

async function* decode(track: InputVideoTrack, fromSeconds: number): AsyncGenerator<Shown> {
  const config = await track.getDecoderConfig();
  const codec = await track.getCodec();
  if (config === null) throw unsupported(codec);
  const { codec: name, description, codedWidth = 0, codedHeight = 0 } = config;
  if (codedWidth * codedHeight > MAX_PIXELS) throw new Error('The picture is too large.');
  const lane = new Lane();
  const out: VideoFrame[] = [];
  // Decoded frames carry the time of whatever packet was fed last; their order is right, so the k-th to come out is
  // the k-th in time (codec.md §3).
  const times: number[] = [];
  const decoder = new VideoDecoder({
    error: err => lane.fail(err),
    output: frame => {
      out.push(frame);
      lane.pass();
    },
  });
  const options = { codec: name, codedWidth, codedHeight, hardwareAcceleration: 'prefer-software' } as const;
  const complete = description === undefined ? options : { ...options, description: toBytes(description) };
  if (!(await VideoDecoder.isConfigSupported(complete)).supported) throw unsupported(codec);
  decoder.configure(complete);

  async function* drain(): AsyncGenerator<Shown> {
    for (let frame = out.shift(); frame !== undefined; frame = out.shift()) {
      const seconds = times.shift();
      const picture = await toPicture(frame);
      frame.close();
      if (seconds !== undefined) yield { seconds, picture };
    }
  }

  const sink = new EncodedPacketSink(track);
  const first = (await sink.getKeyPacket(fromSeconds)) ?? (await sink.getFirstKeyPacket());
  if (first === null) throw new Error('The file has no key frame.');
  for await (const packet of sink.packets(first)) {
    // Leading frames of an open group refer to what was not decoded.
    if (packet.timestamp < first.timestamp) continue;
    insertSorted(times, packet.timestamp);
    decoder.decode(
      new EncodedVideoChunk({
        type: packet.type,
        timestamp: Math.round(packet.timestamp * 1e6),
        data: packet.data,
      }),
    );
    await lane.orPatience(MAX_UNDER_WAY, () => times.length - out.length);
    yield* drain();
  }
  await decoder.flush();
  lane.check();
  yield* drain();
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

async function toPicture(frame: VideoFrame): Promise<Picture> {
  const { format, codedWidth, codedHeight } = frame;
  if (format !== 'I420') throw unsupported(`with pixels as ${format}`);
  const data = new Uint8Array(frame.allocationSize());
  await frame.copyTo(data);
  return evenSides({ width: codedWidth, height: codedHeight, data });
}

/** Planes of odd sides are rounded up by decoders; the last column or row is left out. */
function evenSides(picture: Picture): Picture {
  const { width, height, data } = picture;
  if (width % 2 === 0 && height % 2 === 0) return picture;
  const [evenWidth, evenHeight] = [width & ~1, height & ~1];
  const half = Math.ceil(width / 2);
  const out = new Uint8Array((evenWidth * evenHeight * 3) / 2);
  const planes = [
    { from: 0, stride: width, columns: evenWidth, rows: evenHeight },
    { from: width * height, stride: half, columns: evenWidth / 2, rows: evenHeight / 2 },
    {
      from: width * height + half * Math.ceil(height / 2),
      stride: half,
      columns: evenWidth / 2,
      rows: evenHeight / 2,
    },
  ];
  let at = 0;
  for (const { from, stride, columns, rows } of planes) {
    for (let y = 0; y < rows; y++, at += columns) {
      out.set(data.subarray(from + y * stride, from + y * stride + columns), at);
    }
  }
  return { width: evenWidth, height: evenHeight, data: out };
}

/** From the coded picture to the bytes that were asked for: turned upright, scaled, in BT.709. */
function createPresenter(
  { facts, width, height, pixels }: FramesJob,
  rotation: 0 | 90 | 180 | 270,
): (picture: Picture) => Uint8Array {
  const colors = { matrix: facts.video?.matrix ?? 'bt709', fullRange: facts.video?.fullRange ?? false };
  const isPlain = colors.matrix === 'bt709' && !colors.fullRange;
  return picture => {
    const sized = scale(rotate(picture, rotation), width, height);
    if (pixels === 'i420' && isPlain) return sized.data;
    const rgba = i420ToRgba(sized, colors);
    if (pixels === 'rgba') return rgba;
    const out = new Uint8Array(sized.data.length);
    rgbaToI420(rgba, width, height, out);
    return out;
  };
}
